"""The command `autolab`: what it opens, writes and checks, and the settings of the JupyterLab that it starts."""

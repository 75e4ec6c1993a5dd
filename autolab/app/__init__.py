"""The command `autolab`, and the settings of the JupyterLab that it starts."""

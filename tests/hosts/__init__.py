"""Where notebooks are shown besides JupyterLab: what each host makes of a live view."""

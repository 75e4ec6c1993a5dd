"""Races of AutoLab's engine against other libraries; `engine.py` beside this folder is the command."""

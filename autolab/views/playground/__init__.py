"""The playground: an editor with a live view below it, in a page that needs no server and no installation.

`site.py` writes the page and what it loads; `runner.py` runs in the page, in a Python that Pyodide brings.
"""

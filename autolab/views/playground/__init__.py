"""The playground: an editor with a live view below it, on a page that needs no server and no installation.

`site.py` writes the page and the files that it loads; `runner.py` runs in the page, in Pyodide's Python.
"""

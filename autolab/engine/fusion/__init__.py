"""Fusion: functions that work element by element as one kernel for each direction.

`symbol.py` finds out what a function computes, `program.py` runs that on arrays, `c_text.py` and `kernel.py` make one
kernel of it for a GPU. `fuse.py` has `autolab.fuse` for users; `device.py` serves the declared functions.
"""

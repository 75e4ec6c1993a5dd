"""Helpers of many packages.

Which arguments of a call are its inputs: `binding`, `arguments`, `structure`, `foreign`. Atomic writing of files, and
saved state: `files`, `state_layout`, `generators`. Formatting of numbers: `numerals`. The norm of many arrays: `norms`.
Python's operators as functions of NumPy: `operators`.
"""

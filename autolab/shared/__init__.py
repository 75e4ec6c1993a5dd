"""What many packages share.

Which arguments of a call are its inputs: `binding`, `arguments`, `structure`, `foreign`. Files written whole, and saved
state: `files`, `state_layout`, `generators`. How a number is written: `numerals`. Python's operators as
functions of NumPy: `operators`.
"""

"""Other libraries' computations in AutoLab's views: one module for each library, `torch` and `jax`.

A bridge makes of one run of a function and of its gradient a plain `Recording`, on which every view works as on
AutoLab's own. Nothing is computed anew: the numbers are those of the library. Importing a bridge needs its library,
``pip install 'jupyter-autolab[torch]'`` or ``[jax]``; ``import autolab`` imports neither.
"""

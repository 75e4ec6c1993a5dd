"""Computations of other libraries in AutoLab's views: one module per library, `torch` and `jax`.

A bridge turns one run of a function and of its gradient into a plain `Recording`, on which every view works as on
AutoLab's own. Nothing is recomputed: the numbers are those of the library. Importing a bridge requires its library,
``pip install 'jupyter-autolab[torch]'`` or ``[jax]``; ``import autolab`` imports neither.

This package contains what the libraries have in common: `library` (facts about their arrays), `inputs` (which arguments
are inputs), `run` (from a run to a recording), `session` (live views), `checked` (gradient checks). Each library adds
how its runs are followed: `torch.recorder` and `torch.shares` listen to autograd, `jax.jaxpr_tape` evaluates a jaxpr.
"""

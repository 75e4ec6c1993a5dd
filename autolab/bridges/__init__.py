"""Other libraries' computations in AutoLab's views: one module for each library, `torch` and `jax`.

A bridge makes of one run of a function and of its gradient a plain `Recording`, on which every view works as on
AutoLab's own. Nothing is computed anew: the numbers are those of the library. Importing a bridge needs its library,
``pip install 'jupyter-autolab[torch]'`` or ``[jax]``; ``import autolab`` imports neither.

What the libraries have in common stands here: `library` (what is known of their arrays), `inputs` (which arguments are
inputs), `run` (a run becomes a recording), `session` (a live view), `checked` (gradients are checked). A library adds
how its runs are followed: `torch.recorder` and `torch.shares` listen to autograd, `jax.tape` evaluates a jaxpr.
"""

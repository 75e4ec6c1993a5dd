"""PyTorch's API on AutoLab, as of PyTorch 2.

    >>> from autolab.compat import torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x**2).sum().backward()
    >>> x.grad
    tensor([2., 4.])

These things differ from AutoLab because PyTorch does them this way: tensors require a gradient only on request;
Python's floats become float32, and mixed dtypes are promoted by kind, so integers with float32 give float32; `backward`
takes ``gradient=``, frees the graph unless ``retain_graph=True``, and does not keep gradients of computed tensors
without `retain_grad`; tensors can be changed in place, and a backward pass that needs the old values raises an error;
dropout and batch normalization follow ``model.train()`` and ``model.eval()``; `max` along an axis returns values and
indices.

These things stay as in AutoLab: random numbers are NumPy's; the values that a graph retains stay in memory as long as
something refers to the graph; optimizers give parameters new arrays; a tensor that no longer requires a gradient loses
the one it has; equal largest elements share the gradient of `max` over a whole tensor; shapes that do not match raise a
ValueError. `record`, `explore` and the checks need tensors as arguments if the code calls methods of tensors. Complex
numbers, compilation and training on several devices are not supported.

Every argument that a function accepts has an effect; any other raises an error that names it.
"""

from __future__ import annotations

import math

import numpy as np  # for table.txt, as are the next

from ...serializers import pytorch_names as _states
from ...transforms.trees import tree_map
from .. import absent, table
from . import backends, cuda, func, linalg, nn
from ._methods import functions as _functions
from ._types import DTYPES, SHORT

globals().update(_functions(), **DTYPES, **{name: DTYPES[long] for name, long in SHORT.items()})
del globals()["expand"]  # which is only a method

e, inf, nan, pi = math.e, math.inf, math.nan, math.pi
__version__ = "2.13.0"

table.fill(__name__)
__getattr__ = absent.gather(__name__, "autograd")

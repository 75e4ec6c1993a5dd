"""PyTorch's API on AutoLab, as of PyTorch 2.

    >>> from autolab.compat import torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x**2).sum().backward()
    >>> x.grad
    tensor([2., 4.])

These things differ from AutoLab because PyTorch does them this way: tensors require a gradient only on request;
Python's floats become float32, and mixed dtypes are promoted by kind, so integers with float32 give float32; `backward`
takes ``gradient=``, frees the graph unless ``retain_graph=True``, and keeps no gradient of computed tensors without
`retain_grad`; numbers can be changed in place, and a pass that needs the old ones is an error; dropout and batch
normalization follow ``model.train()`` and ``model.eval()``; `max` along an axis gives values and places.

These things stay AutoLab's: random numbers are NumPy's; what a graph keeps stays in memory for as long as something
holds the graph; ``inplace=True`` changes the tensor that is given but not one whose view it is; a recorded tensor that
is a view of another one is not changed in place, and a tensor that requires a gradient cannot be written into an item;
optimizers give parameters new arrays; what no longer requires a gradient forgets the one it has; equal largest elements
share the gradient of `max` over a whole tensor; shapes that do not fit raise a ValueError. `record`, `explore` and the
checks are given tensors when the code calls methods of tensors. There are no complex numbers, no compilation, and no
training on several devices.

An argument that is taken is followed; one that is not there is an error with its name.
"""

from __future__ import annotations

import math

import numpy as np  # for table.txt, as are the next

from ...serializers import pytorch_names as _states
from ...transforms.trees import tree_map
from .. import absent, table
from . import cuda, func, linalg, nn
from ._methods import functions as _functions
from ._types import DTYPES, SHORT

globals().update(_functions(), **DTYPES, **{name: DTYPES[long] for name, long in SHORT.items()})
del globals()["expand"]  # which is only a method

e, inf, nan, pi = math.e, math.inf, math.nan, math.pi
__version__ = "2.13.0"

table.fill(__name__)
__getattr__ = absent.gather(__name__, "autograd")

"""Chainer's API on AutoLab, as of Chainer 7.

    >>> from autolab import compat
    >>> compat.install("chainer")
    >>> import chainer
    >>> import chainer.functions as F
    >>> import numpy as np
    >>> x = chainer.Variable(np.array([[1, 2], [3, 4]], np.float32))
    >>> y = F.sum(x**2)
    >>> y.backward()
    >>> x.grad
    array([[2., 4.],
           [6., 8.]], dtype=float32)
    >>> compat.uninstall("chainer")

These things differ from AutoLab because Chainer does them this way: `grad` is an array, and `grad_var` the Variable;
Variables take only arrays; links register parameters only inside `init_scope`; iterators give lists of examples, which
a converter joins; initializers fill arrays, and they, dropout and iterators draw from NumPy's global generator;
`softmax` and its relatives work along axis 1, and `max_pooling_2d` has `cover_all=True`; functions always give
Variables, and what does not fit raises `InvalidType`; several gradients are a list, and an update without a gradient
does nothing.

These things stay AutoLab's: `backward` of several elements without an upstream gradient is an error, as is that of a
value without a graph, where Chainer did nothing, and an upstream gradient that was set is still there afterwards;
float32 and float64 promote as in NumPy; integers never require a gradient; a function object is called only once;
reported values are numbers without a graph; equal largest elements share the gradient of their maximum;
`check_backward` looks at all elements. If a function has several results, `backward` counts the upstream gradient of
the one it begins at, and of no other. Files of optimizers have AutoLab's names. There is no ChainerX, no iDeep, and no
training on several GPUs.
"""

import numpy as np  # for table.txt, as is the next but one

from ..absent import gather
from ..table import fill
from .configuration import config, using_config

__version__ = "7.8.1"


def set_debug(debug: bool) -> None:
    """Set ``config.debug``: with True, a function that computes a NaN raises a RuntimeError.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.set_debug(False)
    """
    config.debug = debug


fill(__name__)
__getattr__ = gather(
    __name__, "backend configuration function function_node initializer link optimizer reporter serializer variable"
)

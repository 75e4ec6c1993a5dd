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
Variables accept only arrays; links register parameters only inside `init_scope`; iterators return lists of examples,
which a converter turns into arrays; initializers fill arrays; initializers, dropout and iterators use NumPy's global
random generator; `softmax` and similar functions work along axis 1, and `max_pooling_2d` has `cover_all=True`;
functions always return Variables, and invalid inputs raise `InvalidType`; several gradients are returned as a list, and
an update without a gradient does nothing.

These things stay as in AutoLab: `backward` of several elements without an upstream gradient is an error, as is that of
a value without a graph, where Chainer does nothing; an upstream gradient that was set is still there afterwards;
float32 and float64 are promoted as in NumPy; integers never require a gradient; a function object is called only once;
reported values are numbers without a graph; equal largest elements share the gradient of their maximum;
`check_backward` checks all elements. If a function has several results, `backward` uses the upstream gradient of the
one it starts from, and of no other. Files of optimizers use AutoLab's names. ChainerX, iDeep and training on several
GPUs are not supported.
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

"""DeZero's API on AutoLab: the framework of the book "Deep Learning from Scratch 3".

    >>> import numpy as np
    >>> from autolab.compat import dezero
    >>> from autolab.compat.dezero import functions as F
    >>> x = dezero.Variable(np.array([1.0, 2.0]))
    >>> F.sum(x**2).backward()
    >>> x.grad
    variable([2. 4.])

These things differ from AutoLab because DeZero does them this way: `backward` starts from ones for any shape; Variables
accept only arrays, and integers are differentiated too; the weight of ``linear`` has shape ``(in, out)``; losses are
divided by the number of rows; several results are returned as a list; layers, dropout and loaders use NumPy's global
random generator.

These things stay as in AutoLab: gradients have the dtype of their inputs, and equal largest elements share the gradient
of their maximum; a function object is called only once; modes belong to the thread; `mean_squared_error` refuses to
broadcast a column against a row; every loop over a loader is a full pass; parameters keep their order. Integers are
computed as floats, which is exact up to 2**53. Gradients are Variables also where the book's first chapters have
arrays. A layer does not keep its inputs and outputs, and ``lr`` of Adam is its ``alpha``.
"""

from ..absent import gather

__version__ = "0.0.13"
is_simple_core = False

__getattr__ = gather(__name__, "core dataloaders datasets layers models")

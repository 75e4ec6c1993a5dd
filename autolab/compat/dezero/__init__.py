"""DeZero's names over AutoLab: the framework of "Deep Learning from Scratch 3".

    >>> import numpy as np
    >>> from autolab.compat import dezero
    >>> from autolab.compat.dezero import functions as F
    >>> x = dezero.Variable(np.array([1.0, 2.0]))
    >>> F.sum(x**2).backward()
    >>> x.grad
    variable([2. 4.])

These things differ from AutoLab because DeZero does them this way: `backward` begins with ones for any shape; Variables
take only arrays, and integers are differentiated too; the weight of ``linear`` is ``(in, out)``; losses are divided by
the number of rows; several results are a list; layers, dropout and loaders draw from NumPy's global generator.

These things stay AutoLab's: gradients have the dtype of their inputs, and equal largest elements share the gradient of
their maximum; a function object is called only once; modes belong to the thread; `mean_squared_error` refuses to
broadcast a column against a row; every loop over a loader is a whole pass; parameters keep their order. Integers are
computed as floats, which is exact up to 2**53. The gradients of the book's first chapters, which were arrays, are
Variables. A layer does not keep what went in and came out, and ``lr`` of Adam is its ``alpha``.
"""

from ..absent import gather

__version__ = "0.0.13"
is_simple_core = False

__getattr__ = gather(__name__, "core dataloaders datasets layers models")

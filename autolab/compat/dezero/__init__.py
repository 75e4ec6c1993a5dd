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
Variables.
"""

from .. import missing
from . import (
    core,
    cuda,
    dataloaders,
    datasets,
    functions,
    functions_conv,
    layers,
    models,
    optimizers,
    transforms,
    utils,
)
from .core import Config as Config
from .core import Function as Function
from .core import Parameter as Parameter
from .core import Variable as Variable
from .core import as_array as as_array
from .core import as_variable as as_variable
from .core import no_grad as no_grad
from .core import setup_variable as setup_variable
from .core import test_mode as test_mode
from .core import using_config as using_config
from .dataloaders import *
from .datasets import Dataset as Dataset
from .layers import Layer as Layer
from .models import Model as Model

__version__ = "0.0.13"
is_simple_core = False

__getattr__ = missing(__name__)

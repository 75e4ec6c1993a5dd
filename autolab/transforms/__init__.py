"""Functions of functions: derivatives as new functions, of any order, on nested tuples, lists and dicts of arrays.

    >>> from autolab import transforms
    >>> def f(x):
    ...     return x ** 3
    >>> transforms.grad(f)(2.0), transforms.grad(transforms.grad(f))(2.0)
    (variable(12.0), variable(12.0))

`grad`, `value_and_grad`       the gradient of a function whose result is a single number
`elementwise_grad`             the derivatives of a function that works element by element
`vjp`, `jvp`                   a vector times the Jacobian, the Jacobian times a vector
`jacobian`, `hessian`, `hvp`   the matrix of first derivatives, of second derivatives, and that times a vector
`jacfwd`, `jacrev`             the matrix of first derivatives in forward mode, and backwards, as `jacobian` computes it
`nth_derivative`               the derivative of any order in one variable
`vmap`                         a function of one example as a function of a batch
`checkpoint`                   a function that keeps nothing for backward, and is run again there

What holds for all:

- A function is given Variables in the chosen arguments (``wrt=``: a position, a name, or a tuple of them) and returns
  Variables. Numbers become float64. Its other arguments are passed on as they are.
- Results are Variables, in the structure of the arguments. What the result does not depend on has derivative zero.
- Results can be differentiated again, by these functions, by `autolab.grad` and by ``backward``, with respect to all
  that they depend on: Variables among the arguments and Variables that the function uses from outside. Where there is
  none, or inside ``autolab.no_grad()``, they are constants, and cost less.
"""

from .batches import vmap
from .checkpoints import checkpoint
from .gradients import elementwise_grad, grad, jvp, value_and_grad, vjp
from .higher_orders import nth_derivative
from .jacobians import hessian, hvp, jacfwd, jacobian, jacrev

__all__ = [
    "checkpoint",
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "nth_derivative",
    "value_and_grad",
    "vjp",
    "vmap",
]

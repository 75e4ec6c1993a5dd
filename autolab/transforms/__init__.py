"""Function transformations: derivatives of any order as new functions, for nested tuples, lists and dicts of arrays.

    >>> from autolab import transforms
    >>> def f(x):
    ...     return x ** 3
    >>> transforms.grad(f)(2.0), transforms.grad(transforms.grad(f))(2.0)
    (variable(12.0), variable(12.0))

`grad`, `value_and_grad`       the gradient of a function whose result is a single number
`elementwise_grad`             the derivatives of an elementwise function
`vjp`, `jvp`                   vector-Jacobian product, Jacobian-vector product
`jacobian`, `hessian`, `hvp`   the matrices of first and second derivatives, and the Hessian-vector product
`jacfwd`, `jacrev`             the Jacobian in forward mode, and in reverse mode, as `jacobian` computes it
`jet`                          Taylor coefficients of any order, in one direction
`nth_derivative`               the derivative of any order in one variable
`vmap`                         a function of one example, applied to a batch
`checkpoint`                   a function that retains nothing for backward and is recomputed there

For all of them:

- The function receives Variables for the chosen arguments (``wrt=``: a position, a name, or a tuple of them) and
  returns Variables. Numbers become float64. Other arguments are passed on unchanged.
- Results are Variables, in the structure of the arguments. Derivatives are zero where there is no dependence.
- Results can be differentiated again, by these functions, by `autolab.grad` and by ``backward``, with respect to every
  Variable that they depend on: Variables among the arguments and Variables that the function uses from outside. If
  there are none, or inside ``autolab.no_grad()``, results are constants, which are cheaper.
"""

from typing import TYPE_CHECKING, Any

from ..engine.habits import by_habit
from .batches import vmap
from .checkpoints import checkpoint
from .gradients import elementwise_grad, grad, jvp, nth_derivative, value_and_grad, vjp
from .jacobians import hessian, hvp, jacfwd, jacobian, jacrev

if TYPE_CHECKING:
    from .taylor_series import jet

__all__ = [
    "checkpoint",
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jet",
    "jvp",
    "nth_derivative",
    "value_and_grad",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> Any:
    if name == "jet":  # on first use: it would make the first `autolab.grad` an eighth longer
        from .taylor_series import jet

        return jet
    return by_habit(__name__, "transforms", name)

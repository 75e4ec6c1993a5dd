"""custom_vjp and custom_jvp: functions with a custom vector-Jacobian or Jacobian-vector product, as in JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np

from ..engine import Variable, backprop_enabled, grad, unwrap, using_config
from ..engine.errors import DeclarationError
from ..shared.structure import leaves, rebuilt
from .context_function import ContextFunction


class custom_vjp:
    """Decorate a function to define its vector-Jacobian product, which is its gradient: ``f.defvjp(fwd, bwd)``.

    ``fwd(*args)`` returns the result and the residuals that ``bwd`` needs: arguments and results, in tuples, lists or
    dicts. ``bwd(residuals, g)`` takes the upstream gradient ``g`` and returns a tuple with the gradient of each
    argument. Without ``defvjp`` the function cannot be called.

    References
    ----------
    The interface is that of ``jax.custom_vjp``, without ``nondiff_argnums``.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> @autolab.custom_vjp
    ... def softplus(x):
    ...     return np.log1p(np.exp(x))
    >>> softplus.defvjp(lambda x: (softplus(x), x), lambda x, g: (g / (1 + np.exp(-x)),))
    >>> autolab.grad(softplus)(0.0)
    variable(0.5)
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        update_wrapper(self, fn)
        self._fn = fn
        self._function: type[ContextFunction] | None = None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Define the gradient by ``fwd`` and ``bwd``."""

        def forward(ctx: Any, *args: Any) -> Any:
            y, ctx.kept = fwd(*args)
            ctx.save_for_backward(*[value for _, value in leaves(ctx.kept) if isinstance(value, Variable)])
            return y

        def backward(ctx: Any, *g: Any) -> Any:
            saved = iter(ctx.saved_tensors)
            kept = rebuilt(ctx.kept, lambda value: next(saved) if isinstance(value, Variable) else value)
            found, needs = bwd(kept, g[0] if len(g) == 1 else g), ctx.needs_input_grad
            is_each = isinstance(found, tuple) and len(found) == len(needs)
            return tuple([g if needed else None for g, needed in zip(found, needs, strict=True)]) if is_each else found

        backward.__wrapped__ = bwd  # type: ignore[attr-defined]  # reports show the line in it
        parameters = [Parameter("ctx", Parameter.POSITIONAL_ONLY), *signature(self._fn).parameters.values()]
        forward.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # the names of the inputs
        members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        self._function = type(self._fn.__name__, (ContextFunction,), members)

    def __call__(self, *args: Any) -> Any:
        if self._function is None:
            first = f"{self._fn.__name__}.{'defjvp(f_jvp)' if isinstance(self, custom_jvp) else 'defvjp(fwd, bwd)'}"
            raise DeclarationError(f"{self._fn.__name__}: no gradient is declared; write {first} first")
        return self._function.apply(*args) if backprop_enabled() else self._fn(*args)  # fwd calls it, too


class custom_jvp(custom_vjp):
    """Decorate a function to define its Jacobian-vector product: ``f.defjvp(f_jvp)``, also as a decorator of ``f_jvp``.

    ``f_jvp(primals, tangents)`` returns the result and its tangent. As the tangent is linear in ``tangents``, it
    determines the gradients as well: they are the gradients of the tangent with respect to ``tangents``.

    References
    ----------
    The interface is that of ``jax.custom_jvp``, without ``nondiff_argnums``.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> @autolab.custom_jvp
    ... def softplus(x):
    ...     return np.log1p(np.exp(x))
    >>> @softplus.defjvp
    ... def softplus_jvp(primals, tangents):
    ...     return softplus(*primals), tangents[0] / (1 + np.exp(-primals[0]))
    >>> autolab.grad(softplus)(0.0)
    variable(0.5)
    """

    def defjvp(self, jvp: Callable[..., Any]) -> Callable[..., Any]:
        """Define the tangent by ``jvp(primals, tangents)``; returns ``jvp``."""

        def bwd(primals: tuple[Any, ...], g: Any) -> tuple[Any, ...]:
            further, tangents = backprop_enabled(), tuple([Variable(np.zeros(np.shape(unwrap(p)))) for p in primals])
            with using_config("enable_backprop", True):
                return grad(jvp(primals, tangents)[1], tangents, g, create_graph=further)

        self.defvjp(lambda *args: (self._fn(*args), args), bwd)
        return jvp

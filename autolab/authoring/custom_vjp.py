"""custom_vjp and custom_jvp: functions with a custom vector-Jacobian or Jacobian-vector product, as in JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import update_wrapper
from inspect import Parameter, Signature, signature
from itertools import compress
from typing import Any

import numpy as np

from ..engine import Variable, backprop_enabled, grad, unwrap, using_config
from ..engine.errors import DeclarationError
from ..shared.structure import filled, leaves, matched, rebuilt
from .context_function import ContextFunction


class custom_vjp:
    """Decorate a function to define its vector-Jacobian product, which is its gradient: ``f.defvjp(fwd, bwd)``.

    ``fwd(*args)`` returns the result and the residuals that ``bwd`` needs: arguments and results, in tuples, lists or
    dicts. ``bwd(residuals, g)`` takes the upstream gradient ``g`` and returns a tuple with the gradient of each
    argument, in the structure of the argument. Arguments at the positions ``nondiff_argnums`` have no gradient: ``bwd``
    gets them before the residuals. Without ``defvjp`` the function cannot be called.

    References
    ----------
    The interface is that of ``jax.custom_vjp``. The result is a Variable or a tuple of Variables.

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

    def __init__(self, fn: Callable[..., Any], nondiff_argnums: tuple[int, ...] = ()) -> None:
        update_wrapper(self, fn)
        self._fn, self._apart = fn, nondiff_argnums
        self._rules: tuple[Callable[..., Any], ...] = ()
        self._function: type[ContextFunction] | None = None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Define the gradient by ``fwd`` and ``bwd``."""
        self._rules = fwd, bwd

        def forward(ctx: Any, *given: Any) -> Any:
            count = len(given) - len(_inside(given))
            within = iter(given[count:])
            args = [a if isinstance(a, Variable) else _with_variables(a, within) for a in given[:count]]
            y, ctx.kept = fwd(*args)
            ctx.save_for_backward(*[value for _, value in leaves(ctx.kept) if isinstance(value, Variable)])
            ctx.apart = [args[i] for i in self._apart]
            ctx.places = [rebuilt(a, lambda leaf: isinstance(leaf, Variable)) for a in args]
            return y

        def backward(ctx: Any, *g: Any) -> Any:
            kept = _with_variables(ctx.kept, iter(ctx.saved_tensors))
            found = bwd(*ctx.apart, kept, g if ctx._marks.several else g[0])
            others = [i for i in range(len(ctx.places)) if i not in self._apart]
            each = found if isinstance(found, tuple | list) else (found,)
            if len(each) != len(others):
                return found
            gradients, direct, within = dict(zip(others, each, strict=True)), list[Any](), list[Any]()
            for i, place in enumerate(ctx.places):
                is_nested, gradient = isinstance(place, dict | list | tuple), gradients.get(i)
                direct.append(None if is_nested else gradient)
                if is_nested:
                    wanted = [is_variable for _, is_variable in leaves(place)]
                    what = f"{self._fn.__name__}: the gradient of argument {i}"
                    parts = [None] * len(wanted) if gradient is None else matched(place, gradient, what)
                    within += compress(parts, wanted)
            both = zip([*direct, *within], ctx.needs_input_grad, strict=True)
            return tuple([gradient if needed and not _is_zero(gradient) else None for gradient, needed in both])

        backward.__wrapped__ = bwd  # type: ignore[attr-defined]  # reports show the line in it
        self._signature = signature(self._fn)
        parameters = [Parameter("ctx", Parameter.POSITIONAL_ONLY), *self._signature.parameters.values()]
        forward.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # the names of the inputs
        members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        self._function = type(self._fn.__name__, (ContextFunction,), members)

    def _holds(self) -> tuple[dict[str, str], str]:
        return {"_fn": "part", "_rules": "part"}, "own"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._function is None:
            first = f"{self._fn.__name__}.{'defjvp(f_jvp)' if isinstance(self, custom_jvp) else 'defvjp(fwd, bwd)'}"
            raise DeclarationError(f"{self._fn.__name__}: no gradient is declared; write {first} first")
        bound = self._signature.bind(*args, **kwargs)
        if bound.kwargs:
            name = self._fn.__name__
            raise TypeError(f"{name}: got {list(bound.kwargs)} by keyword only; expected arguments with a position")
        bound.apply_defaults()
        if not backprop_enabled():  # fwd calls it, too
            return self._fn(*bound.args)
        for i in self._apart:
            for path, leaf in leaves(bound.args[i]):
                if isinstance(leaf, Variable) and leaf.requires_grad:
                    raise TypeError(
                        f"{self._fn.__name__}: argument {i} ({[*bound.arguments][i]}{path}) is one of nondiff_argnums "
                        "and requires a gradient, which it would not get; pass it as an argument that has one, or "
                        ".detach() it"
                    )
        return self._function.apply(*bound.args, *_inside(bound.args))


def _inside(args: tuple[Any, ...]) -> list[Variable]:
    """The Variables in the structures among some arguments."""
    nested = [arg for arg in args if isinstance(arg, dict | list | tuple)]
    return [leaf for _, leaf in leaves(nested) if isinstance(leaf, Variable)]


def _with_variables(tree: Any, values: Iterator[Any]) -> Any:
    """A structure with the next of ``values`` for each of its Variables."""
    return rebuilt(tree, lambda leaf: next(values) if isinstance(leaf, Variable) else leaf)


def _is_zero(gradient: Any) -> bool:
    """Whether a gradient is 0 or zeros, which ``np.zeros_like`` makes of a Variable, or None."""
    return not (isinstance(gradient, Variable) or np.any(gradient))


class custom_jvp(custom_vjp):
    """Decorate a function to define its Jacobian-vector product: ``f.defjvp(f_jvp)``, also as a decorator of ``f_jvp``.

    ``f_jvp(primals, tangents)`` returns the result and its tangent. As the tangent is linear in ``tangents``, it
    determines the gradients as well: they are the gradients of the tangent with respect to ``tangents``. It gets the
    arguments at ``nondiff_argnums`` first, and not among ``primals``.

    References
    ----------
    The interface is that of ``jax.custom_jvp``.

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

        def bwd(*given: Any) -> tuple[Any, ...]:
            *apart, primals, g = given
            further = backprop_enabled()
            tangents = rebuilt(primals, lambda p: Variable(np.zeros_like(unwrap(p), float)))
            each = [tangent for _, tangent in leaves(tangents)]
            with using_config("enable_backprop", True):
                found = grad(jvp(*apart, primals, tangents)[1], each, g, create_graph=further)
            zeros = [tangent.detach() for tangent in each]
            return filled(tangents, iter([z if d is None else d for z, d in zip(zeros, found, strict=True)]))

        def fwd(*args: Any) -> Any:
            return self._fn(*args), tuple([arg for i, arg in enumerate(args) if i not in self._apart])

        self.defvjp(fwd, bwd)
        return jvp

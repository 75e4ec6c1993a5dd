"""ContextFunction: static forward and backward around a ``ctx``, as in PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

from ..engine import Array, MultiOutputNode, Parameter, Variable, backprop_enabled, new_order, wrap
from ..engine.configuration import ForwardBlock
from ..engine.errors import DeclarationError
from ..engine.reach import name_around
from ..engine.walks import Ways
from .base import Authored, Barrier, as_upstream
from .call import parameter_label
from .marks import Kept, Marks


class ContextFunction(Authored):
    """A function with static ``forward(ctx, *args)`` and ``backward(ctx, *grad_outputs)``, used by ``F.apply(...)``.

    ``ctx`` is an instance of the class, a new one for every application. In it `forward` keeps what `backward` needs:
    arguments and results through `save_for_backward`, constants as attributes. Second derivatives through an attribute
    that was computed from the arguments are refused, and so is a Variable around `forward` that requires a gradient.

    `forward` may take objects of any kind, and have default values; gradients flow to the arguments that are Variables,
    not to Variables inside a list. Its Variables have no history, nothing is recorded, and it returns a Variable or an
    array, or a tuple of several. `backward` gets one upstream gradient per result and returns one gradient per
    argument: None for those that are not Variables or need none. Additional Nones at the end are ignored, which helps
    with optional arguments.

    References
    ----------
    The interface is PyTorch's ``torch.autograd.Function``.

    Examples
    --------
    >>> from autolab import Variable, grad
    >>> from autolab import functions as F
    >>> from autolab.authoring import ContextFunction
    >>> class ScaledExp(ContextFunction):
    ...     @staticmethod
    ...     def forward(ctx, x, scale=1.0):
    ...         y = F.exp(x) * scale
    ...         ctx.save_for_backward(y)
    ...         return y
    ...     @staticmethod
    ...     def backward(ctx, gy):
    ...         (y,) = ctx.saved_tensors
    ...         return gy * y, None
    >>> x = Variable(0.0)
    >>> first = grad(ScaledExp.apply(x, 3.0), x, create_graph=True)
    >>> first, grad(first, x)
    (variable(3.0), variable(3.0))
    """

    _marks: Marks
    _first: ClassVar[int] = 1
    """The index of the parameter of `forward` that takes the first argument of `apply`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for method in ("forward", "backward"):
            if method in cls.__dict__ and not isinstance(cls.__dict__[method], staticmethod):
                raise DeclarationError(
                    f"{cls.__name__}.{method}: write @staticmethod above def {method}(ctx, ...). With self, it is a "
                    "SimpleFunction (as in DeZero) or a Function (as in Chainer) of autolab.authoring"
                )

    # ------------------------------------------------------------------ what users write
    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """Compute the result of the arguments: a Variable or an array, or a tuple of several."""
        raise NotImplementedError(f"{ctx.name}: write a static forward(ctx, x, ...)")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients of the arguments from the upstream gradients, all of them Variables."""
        raise NotImplementedError(f"{ctx.name}: write a static backward(ctx, g, ...)")

    # ------------------------------------------------------------------ what users call
    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Apply the function; returns a Variable, or a tuple if `forward` returned one."""
        ctx = cls()
        ctx._marks = Marks(ctx.name, args, backprop_enabled())
        arrays = tuple([a._data if isinstance(a, Variable) else a for a in args])
        outputs = ctx._apply(args, arrays, ctx._forward)
        return outputs if ctx._marks.several else outputs[0]

    def __call__(self, *args: Any) -> Any:
        raise TypeError(f"{self.name} cannot be called: use {self.name}.apply(...)")

    # ------------------------------------------------------------------ the ctx
    def save_for_backward(self, *values: Variable | Array | None) -> None:
        """In forward: save arguments and results for backward; None is allowed.

        An intermediate value can be saved, too, but second derivatives through it raise an error: return it as an
        additional result and save that, or compute it again in backward.
        """
        self._marks.save(values)

    @property
    def saved_tensors(self) -> tuple[Variable | None, ...]:
        """In backward: the values that `save_for_backward` saved, in order, as Variables."""
        return tuple([self._revived(i, kept) for i, kept in enumerate(self._marks.kept)])

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """Whether each argument requires a gradient; backward may return None for the others."""
        return self._marks.needs

    def mark_dirty(self, *arguments: Variable) -> None:
        """In forward: declare that these arguments will be changed in place and returned. Call it before the change.

        From then on they hold copies, so that values retained by earlier steps remain correct. The result is the
        caller's own Variable, with the new value and its history.
        """
        self._marks.mark_dirty(arguments)

    def mark_non_differentiable(self, *results: Variable | Array) -> None:
        """In forward: declare that no gradient flows through these results. Integers never have a gradient."""
        self._marks.constant = results

    def set_materialize_grads(self, value: bool) -> None:
        """In forward: whether the upstream gradient of an unused result is zeros, the default, or None."""
        self._marks.materialize = value

    # ------------------------------------------------------------------ what the engine calls
    def input_label(self, i: int) -> str:
        """The name of the parameter of `forward`."""
        return parameter_label(type(self).forward, i, skip=self._first)

    def held(self) -> Iterator[tuple[str, int, Any]]:
        """The saved arguments, results and intermediate values."""
        yield from super().held()
        yield from [("saved value", i, kept.value) for i, kept in enumerate(self._marks.kept) if kept.kind == "value"]

    def _forward(self, arrays: tuple[Any, ...]) -> tuple[Variable, ...]:
        marks, call = self._marks, self._running()
        begin = new_order() if marks.recorded else 0
        with ForwardBlock(partial(self._noticed, begin) if marks.recorded else None):
            returned = self._evaluate(marks.arguments)
        results, marks.several = (list(returned), True) if isinstance(returned, tuple) else ([returned], False)
        del returned
        call.constant_outputs = marks.constant_results(results)
        call.changed_inputs = marks.changing
        marks.settle(results)
        call.retained_inputs = tuple([kept.place for kept in marks.kept if kept.kind == "argument"])
        call.retained_outputs = tuple([kept.place for kept in marks.kept if kept.kind == "result"])
        return marks.outputs(results)

    def _noticed(self, begin: int, value: Variable) -> None:
        """Refuse a Variable around forward that requires a gradient: nothing would lead to it."""
        written = getattr(self.written_backward, "__code__", None)
        if value.node is None or value.node.order > begin or (written and "backward" in written.co_names):
            return  # made inside, or backward itself starts a pass that reaches it
        if name_around(value, [("arguments", self._marks.arguments)]) is not None:
            return  # inside a list, which is a constant, as in PyTorch
        around = [(self.name, type(self).forward), (self.name, type(self).__dict__), ("ctx", self.__dict__)]
        name = name_around(value, around)
        if name is None and not value.node.order and not isinstance(value, Parameter):
            return  # a new Variable, such as a number that forward has made one
        what = str(value.name or name or "a computed value")
        raise ValueError(
            f"{self.name}.forward uses {what:.60}, which requires a gradient and is none of its arguments, so it would "
            "get none; pass it as an argument, or .detach() it"
        )

    def _evaluate(self, arguments: tuple[Any, ...]) -> Any:
        return type(self).forward(self, *arguments)

    def _revived(self, i: int, kept: Kept) -> Variable | None:
        call = self._running()
        if kept.kind == "argument":
            return call.input_variable(kept.place)
        if kept.kind == "result":
            return call.output_variable(kept.place)
        if kept.value is None:
            return None
        node = call.node
        if node is None or kept.value.dtype.kind != "f":
            return wrap(kept.value, None)
        reason = (
            f"{self.name}: saved value {i} is neither an argument nor a result, so a second derivative through it "
            "would be wrong; return it as one more result and save that. A constant belongs in an attribute of ctx"
        )
        return Barrier(self.name, reason).wrap(kept.value, list(node.parents))

    def _gradients(self, node: MultiOutputNode, g: Any, ways: Ways | None) -> Mapping[int, Any]:
        marks, call = self._marks, self._running()
        upstream = node.all_gradients(g) if marks.materialize else node.gradients(g)
        returned = type(self).backward(self, *[as_upstream(got) for got in upstream])
        gradients = list(returned) if isinstance(returned, tuple | list) else [returned]
        while len(gradients) > call.arity and gradients[-1] is None:
            gradients.pop()
        if len(gradients) != call.arity:
            raise call.miscounted(gradients, f"{call.arity}, one per argument of apply")
        for i, gradient in enumerate(gradients):
            if gradient is not None and not marks.numeric[i]:
                raise TypeError(
                    f"{self.name}.backward returned a gradient for argument {i} ({self.input_label(i)}), which is not "
                    "a Variable; expected None"
                )
        return dict(enumerate(gradients))

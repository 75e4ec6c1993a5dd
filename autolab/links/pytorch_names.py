"""What PyTorch's modules have that a `Link` has under another name or in another form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..engine.parameter import Parameter
from .link import Link


def to(link: Link, target: Any) -> Link:
    """On the device that ``"cpu"`` or ``"cuda"`` names; of anything else, which is a dtype, parameters of it."""
    if isinstance(target, str) and target.partition(":")[0] in ("cpu", "cuda"):
        return link.to_cpu() if target == "cpu" else link.to_gpu()
    return link._move(lambda array: array.astype(target) if array.dtype.kind == "f" else array)


def add_module(link: Link, name: str, module: Link | None) -> None:
    """Assign it."""
    setattr(link, name, module)


def apply(link: Link, fn: Callable[[Link], Any]) -> Link:
    """Call ``fn`` for all links in it, those inside others first; gives the link back."""
    for part in [*link.links()][::-1]:
        fn(part)
    return link


class HookHandle:
    """What `register_forward_hook` gives: ``remove()`` ends it."""

    def __init__(self, link: Link, hook: Callable[..., Any]) -> None:
        self._link, self._hook = link, hook

    def remove(self) -> None:
        """From now on it is not called."""
        self._link.__dict__["_forward_hooks"] = tuple([h for h in self._link._forward_hooks if h is not self._hook])


def register_forward_hook(link: Link, hook: Callable[..., Any]) -> HookHandle:
    """Call ``hook(link, inputs, result)`` after every `forward`; what it returns, if not None, is the result."""
    link.__dict__["_forward_hooks"] = (*link._forward_hooks, hook)
    return HookHandle(link, hook)


def named_children(link: Link) -> Iterator[tuple[str, Link]]:
    """The links that it holds itself, with their names."""
    return link._own("link")


@property  # type: ignore[misc]  # a name of Link stands for it
def training(link: Any) -> bool:
    """Whether it computes as in training: `eval` has not been called."""
    return not link._evaluates


def _parameter(*names: str) -> Any:
    def found(link: Any) -> Parameter | None:
        for name in names:
            if name in link._kinds:
                parameter: Parameter | None = link.__dict__[name]
                return parameter
        raise AttributeError(f"{type(link).__name__} has no parameter {' or '.join(names)}")

    return property(found)


weight, bias = _parameter("W", "gamma"), _parameter("b", "beta")

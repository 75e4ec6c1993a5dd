"""The methods and attributes of PyTorch's modules that a `Link` has under another name or in another form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ..engine import Parameter, Variable
from .chain import ChainList, Sequential
from .link import Link
from .state import OWN_NAMES, in_own_names, state_layout


def to(link: Link, target: Any) -> Link:
    """Move the link to the device ``"cpu"`` or ``"cuda"``, or convert its floating-point arrays to a dtype."""
    if isinstance(target, str) and target.partition(":")[0] in ("cpu", "cuda"):
        return link.to_cpu() if target == "cpu" else link.to_gpu()
    return link._move(lambda array: array.astype(target) if array.dtype.kind == "f" else array)


def half(link: Link) -> Link:
    """Convert to float16."""
    return to(link, "float16")


def double(link: Link) -> Link:
    """Convert to float64."""
    return to(link, "float64")


def add_module(link: Link, name: str, module: Any) -> None:
    """Assign ``module`` to the attribute ``name``; a `Sequential` or `ChainList` appends it and ignores the name."""
    if isinstance(link, Sequential | ChainList) and module is not None:
        link.append(module)
    else:
        setattr(link, name, module)


def apply(link: Link, fn: Callable[[Link], Any]) -> Link:
    """Call ``fn`` with every link inside, children before their parents, and the link itself; returns the link."""
    for part in link.children():
        apply(part, fn)
    fn(link)
    return link


class HookHandle:
    """The result of `register_forward_hook`; ``remove()`` removes the hook."""

    def __init__(self, link: Link, hook: Callable[..., Any]) -> None:
        self._link, self._hook = link, hook

    def remove(self) -> None:
        """Remove the hook from its link."""
        self._link.__dict__["_forward_hooks"] = tuple([h for h in self._link._forward_hooks if h is not self._hook])


def register_forward_hook(link: Link, hook: Callable[..., Any]) -> HookHandle:
    """Call ``hook(link, inputs, result)`` after every `forward`; unless it returns None, it replaces the result."""
    link.__dict__["_forward_hooks"] = (*link._forward_hooks, hook)
    return HookHandle(link, hook)


def named_children(link: Link) -> Iterator[tuple[str, Link]]:
    """Pairs of name and link, for the links that ``link`` holds directly."""
    return link._own("link")


def named_modules(link: Link) -> Iterator[tuple[str, Link]]:
    """Pairs of name and link, for the link itself, whose name is empty, and all links inside."""
    return ((path[1:].replace("/", "."), part) for path, part in link.namedlinks())


def _in_pytorchs_names(link: Link) -> dict[str, str]:
    """Name in a state -> PyTorch's: ``fc1/W`` is ``fc1.weight`` in AutoLab's layers, ``fc1.W`` in a user's own."""
    names = {own: theirs for theirs, owns in OWN_NAMES.items() for own in owns}
    found = {}
    for path, part in link.namedlinks():
        is_layer = type(part).__module__.startswith(__package__)
        for name in part._kinds:
            own = f"{path}/{name}".strip("/").replace("//", "/")
            found[own] = (
                own.replace("/", ".") if not is_layer else ".".join([*own.split("/")[:-1], names.get(name, name)])
            )
    return found


def named_parameters(link: Link) -> Iterator[tuple[str, Parameter]]:
    """Pairs of PyTorch's name and parameter, such as ``fc1.weight``."""
    names = _in_pytorchs_names(link)
    return ((names[path[1:]], parameter) for path, parameter in link.namedparams())


def named_buffers(link: Link) -> Iterator[tuple[str, Any]]:
    """Pairs of PyTorch's name and buffer, such as ``bn1.running_mean``."""
    names = _in_pytorchs_names(link)
    return ((names[path[1:]], buffer) for path, buffer in link.namedbuffers())


def state_dict(link: Link) -> dict[str, Any]:
    """`state` under PyTorch's names, as Variables that require no gradient; `load_state` accepts both."""
    names = _in_pytorchs_names(link)
    state = {names[name]: value for name, value in link.state().items()}
    return {name: None if value is None else Variable(value, requires_grad=False) for name, value in state.items()}


class Differences(NamedTuple):
    """The names that the state lacks, and those that the link lacks."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        return f"missing: {self[0]}; unexpected: {self[1]}" if any(self) else "<All keys matched successfully>"


def load_state_dict(link: Link, state: Mapping[str, Any], strict: bool = True) -> Differences:
    """`load_state`; with ``strict=False`` only the names that both have are loaded."""
    if strict:
        link.load_state(state)
        return Differences([], [])
    own = state_layout(link)
    given = in_own_names(own, state)
    known = {name: value for name, value in given.items() if name in own}
    link.load_state({**link.state(), **known})
    return Differences(sorted(own.keys() - known.keys()), sorted(given.keys() - known.keys()))


@property  # type: ignore[misc]  # it becomes an attribute of Link
def training(link: Any) -> bool:
    """Whether the link is in training mode: False after `eval`."""
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
in_features, out_features = property(lambda link: link.in_size), property(lambda link: link.out_size)
in_channels = property(lambda link: link.W.shape[1] * getattr(link, "groups", 1))
out_channels = property(lambda link: link.W.shape[0])
kernel_size, padding = property(lambda link: link.ksize), property(lambda link: link.pad)
dilation, num_features = property(lambda link: link.dilate), property(lambda link: link.gamma.size)
num_embeddings, embedding_dim = out_channels, in_channels
running_mean, running_var = property(lambda link: link.avg_mean), property(lambda link: link.avg_var)

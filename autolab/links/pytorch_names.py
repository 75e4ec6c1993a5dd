"""The methods and attributes of PyTorch's modules that a `Link` has under another name or in another form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ..engine import Parameter, Variable, a_kind, as_array
from ..shared.state_layout import check_entry, check_names
from .chain import Steps
from .link import Link
from .settings import is_ours, own_words
from .state import OWN_NAMES, in_own_names, state_layout


def to(link: Link, target: Any) -> Link:
    """Move the link to the device ``"cpu"`` or ``"cuda"``, or convert its floating-point arrays to a dtype."""
    if isinstance(target, str) and target.partition(":")[0] in ("cpu", "cuda"):
        return link.to_cpu() if target == "cpu" else link.to_gpu()
    return link._move(lambda array: array.astype(target) if array.dtype.kind == "f" else array)


def half(link: Link) -> Link:
    """Convert to float16."""
    return to(link, "float16")


def single(link: Link) -> Link:
    """Convert to float32."""
    return to(link, "float32")


def double(link: Link) -> Link:
    """Convert to float64."""
    return to(link, "float64")


def add_module(link: Link, name: str, module: Any) -> None:
    """Register ``module`` under a name; a `Sequential` or a list appends it, unless a step has this name already."""
    if module is not None and not isinstance(module, Link):
        raise TypeError(f"{type(link).__name__}.add_module: {name!r:.60} is {a_kind(module)}; expected a Link or None")
    if isinstance(link, Steps) and module is not None and name not in link._names:
        link._add(module, name)
    else:
        link._register(name, "link", module)


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


def named_modules(link: Any, memo: Any = None, prefix: str = "", remove_duplicate: bool = True) -> Iterator[Any]:
    """Pairs of name and link, such as ``("layers.0", ...)``, starting with the link itself."""
    seen = set() if memo is None else memo
    if remove_duplicate and link in seen:
        return
    seen.add(link)
    yield prefix, link
    for name, part in link._own("link"):
        yield from part.named_modules(seen, f"{prefix}.{name}".strip("."), remove_duplicate)


def _pairs(link: Any, kind: Any, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
    seen: set[int] = set()
    owners = link.named_modules(None, prefix, remove_duplicate) if recurse else iter([(prefix, link)])
    for path, owner in owners:
        for name, value in owner._own(kind):
            if not (remove_duplicate and id(value) in seen):
                seen.add(id(value))
                yield f"{path}.{_theirs(owner, name)}".strip("."), value


def named_children(link: Any) -> Iterator[tuple[str, Link]]:
    """Pairs of name and link, of the links that ``link`` holds directly."""
    return _pairs(link, "link", "", recurse=False, remove_duplicate=True)


def named_parameters(
    link: Any, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Parameter]]:
    """Pairs of PyTorch's name and parameter, such as ``("fc1.weight", ...)``."""
    return _pairs(link, "parameter", prefix, recurse, remove_duplicate)


def named_buffers(
    link: Any, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Any]]:
    """Pairs of PyTorch's name and buffer, such as ``("bn1.running_mean", ...)``."""
    return _pairs(link, "buffer", prefix, recurse, remove_duplicate)


def buffers(link: Any, recurse: bool = True) -> Iterator[Any]:
    """All buffers."""
    return (buffer for _, buffer in link.named_buffers(recurse=recurse))


def get_parameter(link: Any, target: str) -> Any:
    """The parameter with this name, such as ``fc1.weight``."""
    return _found(link, "parameter", dict(link.named_parameters(remove_duplicate=False)), target)


def get_submodule(link: Any, target: str) -> Any:
    """The link with this name, such as ``layers.0``."""
    return _found(link, "link", dict(link.named_modules(remove_duplicate=False)), target)


def _found(link: Any, kind: str, there: Mapping[str, Any], target: str) -> Any:
    if target not in there:
        names = ", ".join(filter(None, there))
        raise AttributeError(f"{type(link).__name__} has no {kind} {target!r:.60}; there are {names:.150}")
    return there[target]


def _theirs(owner: Link, name: str) -> str:
    """PyTorch's name of what one of AutoLab's layers holds; a user's own layers and links keep theirs."""
    return _THEIRS.get(name, name) if is_ours(type(owner)) and owner._kinds.get(name) != "link" else name


_THEIRS = {own: theirs for theirs, owns in OWN_NAMES.items() for own in owns}


def _in_pytorchs_names(link: Link) -> dict[str, str]:
    """Name in a state -> PyTorch's: ``fc1/W`` is ``fc1.weight`` in AutoLab's layers, ``fc1.W`` in a user's own."""
    found = {}
    for path, part in link.namedlinks():
        for name in part._kinds:
            within = f"{path}/".replace("//", "/").lstrip("/")
            found[within + name] = within.replace("/", ".") + _theirs(part, name)
    return found


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
    """`load_state`; with ``strict=False`` only the names that both have are loaded. Errors give PyTorch's names."""
    who, own, theirs = f"{type(link).__name__}.load_state_dict", state_layout(link), _in_pytorchs_names(link)
    given = in_own_names(own, state)
    if strict:
        check_names(who, {theirs.get(name, name): slot for name, slot in own.items()}, map(theirs.get, given, given))
    known = {name: value for name, value in given.items() if name in own}
    for name, value in known.items():
        check_entry(who, theirs.get(name, name), own[name], None if value is None else as_array(value, who))
    link.load_state(state if strict else {**link.state(), **known})
    missing, unexpected = own.keys() - known.keys(), given.keys() - known.keys()
    return Differences(*[sorted(theirs.get(name, name) for name in names) for names in (missing, unexpected)])


@property  # type: ignore[misc]  # it becomes an attribute of Link
def training(link: Any) -> bool:
    """Whether the link is in training mode: False after `eval`."""
    return not link._evaluates


def _own(word: str) -> Any:
    """What a link calls by another name, such as ``W``, as an attribute under PyTorch's."""
    names = own_words(word)

    def found(link: Any) -> Any:
        for name in names:
            if name in link.__dict__ or hasattr(type(link), name):
                return getattr(link, name)
        kind = "parameter" if word in OWN_NAMES else "setting"
        raise AttributeError(f"{type(link).__name__} has no {kind} {' or '.join(names)}")

    return property(found)


weight, bias, running_mean, running_var = map(_own, ("weight", "bias", "running_mean", "running_var"))
in_features, out_features = _own("in_features"), _own("out_features")
kernel_size, padding, dilation = _own("kernel_size"), _own("padding"), _own("dilation")
in_channels = property(lambda link: link.W.shape[1] * getattr(link, "groups", 1))
out_channels, num_features = property(lambda link: link.W.shape[0]), property(lambda link: link.gamma.size)
num_embeddings, embedding_dim = out_channels, in_channels

"""Names that people type out of habit: they work as intended, or the error says what to use instead."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any

from .habit_tables import ALIASES, PLACES, answers, patterns

_PACKAGE = __name__.partition(".")[0]


def instead(where: str, name: str) -> str:
    """The end of a message about a missing name: ``; instead: ...``, or nothing.

    What the table of this place lacks, that of another module may say, or the name is there.

    Examples
    --------
    >>> instead("keywords", "betas")
    '; instead: beta1=, beta2='
    >>> instead("transforms", "make_vjp")
    '; instead: value, pull = autolab.vjp(f, x), in the other order; pull(g) is a tuple'
    >>> instead("optimizers", "relu")
    '; instead: autolab.relu'
    """
    found = answers(where).get(name)
    if found is None and where in _MODULES and name[0] != "_":
        others = [answers(place) for place in ("linalg", *_MODULES) if place in PLACES]
        found = answers("autolab").get(name) or _elsewhere(where, name)
        found = found or next((table[name] for table in others if name in table), None)
    if not found:
        places = (where, *_NEXT) if where in _MODULES else (where,)
        found = next((text for place in places for text in _by_pattern(place, name)), None)
    return "" if not found else f"; instead: {found.replace('`', '')}"


_MODULES = {
    "autolab": "",
    **{name: name for name in ("functions", "links", "optimizers", "transforms", "data", "training")},
    **{name: name for name in ("serializers", "initializers", "gradcheck", "plots")},
    "lax": "transforms.lax",
    "random": "functions.random_keys",
    "lr_scheduler": "optimizers.lr_scheduler",
    "extensions": "training.extensions",
    "init": "links.init",
    "func": "links.func",
    "functional": "transforms.pytorch_forms",
    "image_transforms": "data.transforms",
    "utils": "links.utils",
    "rnn": "links.utils.rnn",
    "autograd": "authoring.autograd",
}
"""The places that are modules, in which a name may have been looked for that another has -> their paths."""


_NEXT = ("links", "functions", "optimizers")
"""The places whose patterns answer for the other modules, too."""


def _by_pattern(where: str, name: str) -> Iterator[str]:
    """What the patterns of a place say about a name: a long table's rows for names that begin or end alike."""
    for pattern, text in patterns(where).items():
        before, _, after = pattern.partition("*")
        if len(name) >= len(before + after) and name.startswith(before) and name.endswith(after):
            yield text.replace("{}", name[len(before) : len(name) - len(after)])


def _elsewhere(where: str, name: str) -> str:
    """Where else in AutoLab a name is, as far as its modules are loaded: to import them, while others are being
    imported and look for a name, would be a circle."""
    for place, path in _MODULES.items():
        there = vars(sys.modules.get(f"{_PACKAGE}.{path}".rstrip("."), object)).get("__all__", ())
        if place != where and (name in there or name in ALIASES.get(place, ())):
            shown = {"functions": "", "lax": "lax", "random": "random", "autograd": "autograd"}.get(place, path)
            return f"`{'.'.join([part for part in (_PACKAGE, shown, name) if part])}`"
    return ""


def by_habit(module: str, where: str, name: str, own: str = "") -> Any:
    """What a module, or ``own``, offers under a different name; otherwise an AttributeError (an ImportError in ``from
    module import name``) says what to use instead. Called by ``__getattr__`` of the module."""
    target = ALIASES.get(where, {}).get(name)
    if target is None and name in vars(sys.modules.get(own, object)).get("__all__", ()):
        return getattr(sys.modules[own], name)
    if target is None:
        told = instead(where, name)
        asks = sys._getframe(2 if told else 1)  # for other names, Python's own message is as good
        raise not_there(asks, module, name, f"module {module!r} has no attribute {name!r}{told}")
    return at(target, own or module)


def answering(module: str, where: str, own: str = "") -> Callable[[str], Any]:
    """`by_habit` as the ``__getattr__`` of a module."""

    def __getattr__(name: str) -> Any:
        return by_habit(module, where, name, own)

    return __getattr__


def not_there(frame: FrameType, module: str, name: str, said: str) -> Exception:
    """The exception of a module's ``__getattr__``: in ``from module import name`` an ImportError, because Python drops
    the message of an AttributeError there. ``frame`` is the frame that asks."""
    if frame.f_code.co_code[frame.f_lasti] == dis.opmap["IMPORT_FROM"]:
        return ImportError(said, name=module)
    return AttributeError(said, name=name, obj=sys.modules.get(module))


def at(target: str, module: str = _PACKAGE) -> Any:
    """What is at a path of the tables, below a module."""
    path, _, last = target.rpartition(".")
    owner = import_module(f"{module}.{path}" if path else module)
    if not target:
        return owner
    return getattr(owner, last) if hasattr(owner, last) else import_module(f"{owner.__name__}.{last}")


class ModulesByHabit:
    """Finds ``autolab.nn`` and similar names for the import statement, as aliases of existing modules.

    Python asks it last, in ``sys.meta_path``. The error for a name that is not a module says what to use instead.
    """

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The spec of an alias, which has no file."""
        package, _, last = name.rpartition(".")
        where = _IMPORTED_FROM.get(package)
        if where is None:
            return None
        own = _PACKAGE if where in ("autolab", "autograd") else f"{_PACKAGE}.{where}"
        if last in ALIASES.get(where, {}):
            found = at(ALIASES[where][last], own)
        elif last in answers(where):
            raise ModuleNotFoundError(f"No module named {name!r}{instead(where, last)}")
        else:
            found = None if package == own else at(last, own)
        return ModuleSpec(name, _ThereAlready(found)) if isinstance(found, ModuleType) else None  # type: ignore[arg-type]


_IMPORTED_FROM = {_PACKAGE: "autolab", f"{_PACKAGE}.nn": "links", f"{_PACKAGE}.optim": "optimizers"}
_IMPORTED_FROM |= {f"{_PACKAGE}.{name}": name for name in ("autograd", "functions", "links", "optimizers", "training")}
_IMPORTED_FROM |= {f"{_PACKAGE}.cuda": "autolab", f"{_PACKAGE}.scipy.stats": "functions.stats"}
_IMPORTED_FROM |= {f"{_PACKAGE}.scipy": "functions", f"{_PACKAGE}.utils": "data", f"{_PACKAGE}.nn.utils": "links.utils"}


class _ThereAlready:
    """A loader that returns an existing module; it does without `importlib.abc`.

    That module alone would import thirty others, including `tempfile`, and take a seventh of the time of
    `import autolab`.
    """

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # importing has given it another


class Habit:
    """A placeholder for an attribute that a class lacks: access raises an error that says what to use instead."""

    def __init__(self, where: str, name: str) -> None:
        self._where, self._name = where, name

    def __get__(self, instance: Any, owner: type) -> Any:
        message = f"{owner.__name__} has no {self._name!r}{instead(self._where, self._name)}"
        raise AttributeError(message, name=self._name, obj=owner if instance is None else instance)


class Sentence(str):
    """The text of an attribute; calling it like a method, ``x.why()``, gives the same."""

    __slots__ = ()

    def __call__(self) -> Sentence:
        return self


class Alias:
    """Another name of a method, including one that a subclass overrides or that is set later; or of a function."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if "." not in self._name:
            return getattr(owner if instance is None else instance, self._name)
        found = at(self._name)
        if instance is not None and not hasattr(found, "__get__"):
            return partial(found, instance)  # a ufunc
        return found.__get__(instance, owner) if hasattr(found, "__get__") else found


def answer_habits(cls: type, where: str) -> None:
    """Give ``cls`` the aliases and placeholders of ``where``, for names that it lacks; ``dir`` does not list them."""
    aliases = {name: target for name, target in ALIASES.get(where, {}).items() if not hasattr(cls, name)}
    names = [*aliases, *[name for name in answers(where) if not hasattr(cls, name)]]
    for name in names:
        setattr(cls, name, Alias(aliases[name]) if name in aliases else Habit(where, name))
    listed: Any = cls.__dir__

    def __dir__(self: Any) -> Iterable[str]:
        return [name for name in listed(self) if name not in names or name in getattr(self, "__dict__", ())]

    cls.__dir__ = __dir__  # type: ignore[assignment]

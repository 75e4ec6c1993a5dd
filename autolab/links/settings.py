"""The settings of links: what may be assigned after the construction, under which names, and what is checked."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

from .. import functions as F
from ..engine import Parameter, check_number, check_rng
from ..engine.errors import LIMIT
from ..engine.habit_tables import KEYWORDS
from ..functions.networks.dropout import check_ratio
from ..functions.networks.windows import check_padding_mode
from .state import OWN_NAMES

_FIXED = """
    out_size in_size out_channels ksize groups size reset_after input_size hidden_size num_layers bidirectional axes
    above
"""
FIXED = frozenset(_FIXED.split())
"""Settings on which the parameters of a link depend."""

_WORDS = """
    momentum decay eps ratio dropout activation nonlinearity padding_idx max_norm affine track_running_stats
    elementwise_affine inplace padding_mode output_padding causal heads norm_first batch_first stride pad dilate nobias
    use_bias in_features in_channels num_features num_embeddings embedding_dim normalized_shape num_groups
    negative_slope alpha dim axis center scale beta gamma kernel_initializer bias_initializer stateful
    kernel_regularizer return_sequences recurrent_dropout learning_rate lr weight_decay slope low high approximate
    kernel factor upscale_factor reduction label_smoothing ignore_index ignore_label class_weight margin delta
    p rate epsilon padding dilation dilation_rate strides kernel_size filters num_heads nhead embed_dim hidden_size
    out_features units is_causal weight bias running_mean running_var
"""
WORDS = frozenset(_WORDS.split()) | FIXED
"""What settings of layers are called, here or in another library."""

Check = Callable[[str, str, Any], Any]


def _ratio(who: str, name: str, value: Any) -> float:
    return check_ratio(who, value)


def _padding(who: str, name: str, value: Any) -> Any:
    return value if value is None else int(check_number(who, name, value, 0))


CHECKS: dict[str, Check] = {
    "ratio": _ratio,
    "decay": lambda who, name, value: check_number(who, name, value, 0, 1),
    "eps": lambda who, name, value: check_number(who, name, value, 0),
    "padding_mode": lambda who, name, value: check_padding_mode(who, value),
    "rng": lambda who, name, value: check_rng(who, value),
    "padding_idx": _padding,
}
"""Setting -> the check of a value that is assigned; the dropout of a recurrent layer is checked as a ratio."""


def own_words(word: str) -> tuple[str, ...]:
    """The names of a link's attributes that a word of another library may stand for, such as ``W`` for ``weight``."""
    return OWN_NAMES.get(word) or KEYWORDS.get(word, ())


@cache
def names_of(kind: type) -> frozenset[str]:
    """The attributes that AutoLab's own classes, among the bases of a link, assign in ``__init__``, or list as more."""
    found: set[str] = set()
    for cls in kind.__mro__:
        found |= {*vars(cls).get("_more", ())}
        if is_ours(cls) and "__init__" in vars(cls):
            steps = [*dis.get_instructions(inspect.unwrap(vars(cls)["__init__"]).__code__)]
            found |= {b.argval for a, b in pairwise(steps) if b.opname == "STORE_ATTR" and _loads_self(a.argval)}
    return frozenset(found)


def _activation(link: Any, value: Any) -> Any:
    """An activation: a function, or, for layers that may have none, the name of one in F or None."""
    may_be_none = any([cls.__name__ == "Activated" for cls in type(link).__mro__])
    if may_be_none and isinstance(value, str):
        value = None if value == "linear" else getattr(F, value, value)
    if callable(value) or (may_be_none and value is None):
        return value
    raise TypeError(f"{type(link).__name__}: activation is {value!r:.60}; expected a function such as functions.tanh")


def _loads_self(loaded: Any) -> bool:
    """Whether an instruction loads ``self`` last; some load two variables at once."""
    return loaded == "self" or (isinstance(loaded, tuple) and loaded[-1] == "self")


def is_ours(kind: type) -> bool:
    """Whether a class of links is one of AutoLab's."""
    return getattr(kind, "__module__", "").startswith(__package__)  # a class made by `type` may have none


def meant(link: Any, name: str, value: Any) -> tuple[str, Any]:
    """The attribute of a link, and its value, for those that a reader assigns. A parameter or a link is no setting, and
    a Link or Chain to which a reader gives parts has none.

    Raises
    ------
    AttributeError
        If the word is a setting elsewhere, but not here, or one that only the construction reads.
    """
    kind: Any = type(link)
    own, who = names_of(kind), kind.__name__
    has = own | link.__dict__.get("_kinds", {}).keys()
    if name in own and name not in FIXED and name not in CHECKS and name not in ("dropout", "activation"):
        return name, value
    if name not in own and own:
        if name == "momentum" and "decay" in own:
            return "decay", 1 - check_number(who, name, value, 0, 1)
        name = next((one for one in own_words(name) if one in has), name)
    if name in own and name in FIXED and link.__dict__.get(name, value) != value:
        raise AttributeError(f"{who}.{name}: the parameters have their shapes by it; write another {who}(...)")
    a_part = isinstance(value, Parameter) or hasattr(value, "_kinds")
    if (
        name not in has
        and own
        and not a_part
        and is_ours(kind)
        and not inspect.isdatadescriptor(inspect.getattr_static(kind, name, None))
    ):
        settings = ", ".join(sorted([one for one in own if one in WORDS and one not in FIXED]))
        raise AttributeError(f"{who} has no setting {name!r}; expected {settings or 'none'}"[:LIMIT])
    if name == "activation" and name in own:
        return name, _activation(link, value)
    check = CHECKS.get("ratio" if name == "dropout" and isinstance(value, int | float) else name)
    return name, value if check is None or name not in own else check(who, name, value)


def set_mode(link: Any, name: str, value: Any) -> None:
    """Assign ``trainable``, ``requires_grad`` or ``training`` of a link, which its parts follow."""
    who = type(link).__name__
    if not isinstance(value, bool):
        raise TypeError(f"{who}.{name} is {value!r:.60}; expected True or False")
    if name != "training":
        link.requires_grad_(value)
    elif next(link.children(), None) is not None:
        raise AttributeError(
            f"{who}.training is also that of the links inside; write model.{'train' if value else 'eval'}()"
        )
    else:
        link.train(value)


MODES = frozenset(["trainable", "requires_grad", "training"])

"""What an elementwise backward computes and what it should, as formulas in the names of the function's inputs.

The slopes of an elementwise function are measured at many points, all elements at once. Both these and the derivatives
from backward are compared with all short products of known parts; a formula is reported only if it fits at every point.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod
from typing import Any

import numpy as np

from .samples import Named, Samples

WRITTEN = 1e-10
MEASURED = 1e-7
"""A formula fits if it is off by at most this fraction of the largest value: rounding, and the error of differences."""

_DIGITS = 3
"""The constant slope of a piece, as of a leaky ReLU, is written with so few digits."""

FACTORS = tuple(sorted({Fraction(n, d) for n in range(1, 7) for d in (1, 2, 3, 4)}))


Rule = dict[str, Any]
"""Evidence: the formula that backward computes, ``written``, and the one that is ``right``; empty where none fits."""


def rule_of_both(written: str, right: str) -> Rule:
    """The two formulas as evidence, if both are known and they differ."""
    return {"written": written, "right": right} if written and right and written != right else {}


@dataclass(frozen=True)
class Formula:
    """A product and its divisors, as texts of the parts."""

    above: tuple[str, ...]
    below: tuple[str, ...]

    def value(self, parts: Mapping[str, np.ndarray]) -> np.ndarray:
        """The value of the formula for these values of its parts, of which there is at least one."""
        one = np.ones_like(next(iter(parts.values())))
        above, below = [prod([parts[text] for text in texts], start=one) for texts in (self.above, self.below)]
        return above / below

    def text(self, factor: Fraction, upstream: str) -> str:
        """The formula with its factor, as it would be written in Python."""
        size = abs(factor)
        top, bottom = (str(size.numerator), str(size.denominator)) if size in FACTORS else (f"{float(size):g}", "1")
        above = [*([top] if top != "1" else []), upstream, *self.above]
        below = [*([bottom] if bottom != "1" else []), *self.below]
        divisor = f" / {below[0]}" if len(below) == 1 else f" / ({' * '.join(below)})" if below else ""
        if len(below) == 1 and " * " in below[0] and not below[0].endswith(")"):
            divisor = f" / ({below[0]})"
        return ("-" if factor < 0 else "") + " * ".join(above) + divisor


def short_rule(samples: Samples) -> Rule:
    """The formulas in the inputs and the result, if some fit."""
    formulas, values = _formulas(samples.names)
    written = _fitting(formulas, values, samples.written, WRITTEN, samples.upstream)
    return rule_of_both(written, _fitting(formulas, values, samples.measured, MEASURED, samples.upstream))


def known_parts(names: Named) -> Iterator[tuple[str, np.ndarray]]:
    """The building blocks of formulas, simplest first."""
    yield from names.items()
    *_, result = names
    for name, v in names.items():
        yield f"(1 - {name})", 1 - v
        yield f"(1 + {name})", 1 + v
        yield f"(1 - {name} * {name})", 1 - v * v
        yield f"(1 + {name} * {name})", 1 + v * v
        if name == result:
            continue
        for function in (np.exp, np.sin, np.cos, np.log, np.sqrt, np.tanh, np.cosh, np.sinh, np.tan):
            yield f"{function.__name__}({name})", function(v)
        yield f"exp(-{name})", np.exp(-v)
        yield f"(1 + exp(-{name}))", 1 + np.exp(-v)
        yield f"(1 + exp({name}))", 1 + np.exp(v)
        yield f"sign({name})", np.sign(v)
        yield f"abs({name})", np.abs(v)
        yield f"({name} > 0)", (v > 0).astype(float)
        yield f"({name} < 0)", (v < 0).astype(float)


def _formulas(names: Named) -> tuple[list[Formula], np.ndarray]:
    """Products and quotients of up to two parts, and of up to three names, shortest first."""
    parts = {text: v for text, v in known_parts(names) if np.isfinite(v).all()}
    kept = [text for text in parts if text in names]
    among = enumerate([[], parts, parts, kept])
    chosen = [texts for count, some in among for texts in combinations_with_replacement(some, count)]
    found = dict.fromkeys([formula for texts in chosen for formula in _quotients(texts)])
    order = sorted(found, key=lambda formula: length(formula, names))
    return order, np.stack([formula.value(parts) for formula in order])


def _quotients(texts: tuple[str, ...]) -> Iterator[Formula]:
    """Formulas with all of the parts: a product, one over up to two of them, one of them over the others."""
    yield Formula(texts, ())
    if 0 < len(texts) < 3:
        yield Formula((), texts)
    for k in range(len(texts) if len(texts) > 1 else 0):
        yield Formula((texts[k],), texts[:k] + texts[k + 1 :])


def length(formula: Formula, names: Iterable[str]) -> int:
    """How hard a formula is to read, whatever the names are: its parts, divisions, and how many names it mixes."""
    parts = [*formula.above, *formula.below]
    used = {word for part in parts for word in re.findall(r"\w+", part)} & set(names)
    return sum([1 if part in used else len(part) for part in parts]) + 3 * len([*parts, *formula.below, *used])


def _fitting(formulas: list[Formula], values: np.ndarray, target: np.ndarray, close: float, upstream: str) -> str:
    """The shortest formula that fits with a simple factor; empty if there is none."""
    size = np.max(np.abs(target))
    if not np.isfinite(size) or size == 0:
        return "0" if size == 0 else ""
    factors = values @ target / np.sum(values * values, axis=1)
    gaps = np.max(np.abs(factors[:, None] * values - target), axis=1)
    for k in np.flatnonzero(gaps <= close * size):
        factor = Fraction(float(factors[k])).limit_denominator(4)
        if abs(factor) not in FACTORS and len(formulas[k].above) + len(formulas[k].below) <= 1:
            factor = Fraction(f"{factors[k]:.{_DIGITS}g}")
        elif abs(factor) not in FACTORS:
            continue
        if abs(float(factor) - factors[k]) <= 10 * close * abs(factors[k]):
            return formulas[k].text(factor, upstream)
    return ""

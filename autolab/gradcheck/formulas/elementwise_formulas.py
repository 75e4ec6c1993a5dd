"""What an elementwise backward computes and what it should, as formulas in the names of the function's inputs.

The slopes of an elementwise function are measured at many points, all elements at once. Both these and what backward
gives are compared with all short products of known parts; a formula is said only if it fits at every point.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from ..judging.case import Case
from ..measuring.numeric_slopes import KINK

_SAMPLES = 24
_ROUNDS = 12
_MORE_ROUNDS = 48
LEAST = 8
_STEP = 2.0**-7
WRITTEN = 1e-10
MEASURED = 1e-7
"""A formula fits if it misses by no more than this fraction of the largest: rounding, and what differences leave."""

_SAME = 1e-5
_SETTLED = 1e-3
_LARGEST = 2**16
_MOST = 512
"""Of larger arrays so many elements are compared."""

_DIGITS = 3
"""A slope of its own, as that of a leaky ReLU, has no more digits."""

FACTORS = tuple(sorted({Fraction(n, d) for n in range(1, 7) for d in (1, 2, 3, 4)}))
_LETTERS = "xzwuv"


@dataclass(frozen=True)
class Rule:
    """The formula that backward computes and the right one; empty where none fits.

    ``is_piece``: they hold for the elements that are wrong.
    """

    written: str
    right: str
    is_piece: bool = False


NO_RULE = Rule("", "")


@dataclass(frozen=True, eq=False)
class Samples:
    """At many points: the named values, the result last; the local derivative of backward, the measured one.

    ``points`` are the inputs that they are from, each with which of its elements are good.
    """

    names: dict[str, np.ndarray]
    written: np.ndarray
    measured: np.ndarray
    points: list[tuple[list[np.ndarray], np.ndarray]]

    def where(self, mask: np.ndarray) -> Samples:
        """Those of the samples that are marked."""
        points, first = [], 0
        for arrays, good in self.points:
            kept = np.zeros_like(good)
            kept[np.flatnonzero(good)] = mask[first : first + good.sum()]
            points.append((arrays, kept))
            first += good.sum()
        names = {name: v[mask] for name, v in self.names.items()}
        return Samples(names, self.written[mask], self.measured[mask], points)


@dataclass(frozen=True)
class Formula:
    """A product and what divides it: texts of the parts."""

    above: tuple[str, ...]
    below: tuple[str, ...]

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


def short_rule(case: Case, samples: Samples) -> Rule:
    """The formulas in the inputs and the result, as far as some fit."""
    upstream, _ = symbols(case)
    with np.errstate(all="ignore"):
        formulas, values = _formulas(samples.names)
        written = _fitting(formulas, values, samples.written, WRITTEN, upstream)
        right = _fitting(formulas, values, samples.measured, MEASURED, upstream)
    return Rule(written, right) if written != right else NO_RULE


# ---------------------------------------------------------------------- measuring
def sampled(case: Case, i: int, wrong_alone: bool = False, scale: float = 1.0) -> Samples | None:
    """The samples of input ``i``, or only those at which backward is wrong, around ``scale`` times its values; None
    where the function is not elementwise in it, or cannot be measured.
    """
    try:
        return _samples(case, i, wrong_alone, scale)
    except Exception:  # away from the given point the function may be undefined
        return None


def _samples(case: Case, i: int, wrong_alone: bool, scale: float) -> Samples | None:
    outputs = case.exam.upstreams[0]
    shape = case.shapes[i]
    if len(outputs) != 1 or outputs[0].shape != shape or outputs[0].size > _LARGEST or outputs[0].size == 0:
        return None
    if any(np.broadcast_shapes(other, shape) != shape for other in case.shapes):
        return None
    rng = np.random.default_rng(0)
    found: list[tuple[list[np.ndarray], np.ndarray, np.ndarray]] = []
    points: list[tuple[list[np.ndarray], np.ndarray]] = []
    count = 0
    for k in range(_MORE_ROUNDS if wrong_alone else _ROUNDS):
        arrays = [a if k == 0 else a * rng.uniform(0.6, 1.4, a.shape) for a in case.subject.arrays]
        arrays[i] = scale * arrays[i]
        values, written, measured = _local(case, i, arrays, rng)
        if k == 0 and scale == 1.0 and not _is_elementwise(case, i, measured):
            return None
        good = are_good(written, measured, wrong_alone) & (arrays[i].ravel() != 0)
        good[rng.permutation(np.flatnonzero(good))[_MOST:]] = False
        found.append(([v[good] for v in values], written[good], measured[good]))
        points.append((arrays, good))
        count += int(good.sum())
        if count >= _SAMPLES and k:
            break
    if count < LEAST:
        return None
    columns = [np.concatenate([values[n] for values, *_ in found]) for n in range(len(case.names) + 1)]
    names = dict(zip([*letters(case), symbols(case)[1]], columns, strict=True))
    return Samples(names, np.concatenate([w for _, w, _ in found]), np.concatenate([m for *_, m in found]), points)


def are_good(written: np.ndarray, measured: np.ndarray, wrong_alone: bool) -> np.ndarray:
    """Which samples are finite and, if only these are wanted, wrong."""
    good = np.isfinite(written) & np.isfinite(measured)
    if not wrong_alone:
        return good
    sizes = np.maximum(np.abs(written), np.abs(measured))
    return good & (np.abs(written - measured) > _SAME * np.max(sizes, where=good, initial=0.0))


def _local(
    case: Case, i: int, arrays: list[np.ndarray], rng: np.random.Generator
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """The inputs and the result, flat; the local derivative of backward; and the measured one."""
    run = case.subject.run(arrays)
    (y,) = run.values()
    g = rng.uniform(0.5, 1.5, y.shape).astype(y.dtype)
    given = case.subject.gradients(run, (g,))[i]
    written = np.zeros(y.shape) if given is None else given / g
    step = _STEP * np.abs(arrays[i])

    def difference(size: float) -> np.ndarray:
        ends = []
        for sign in (size, -size):
            moved = [a + sign * step if k == i else a for k, a in enumerate(arrays)]
            ends.append(case.subject.run(moved).values()[0])
        return (ends[0] - ends[1]) / (2 * size * step)

    measured = extrapolated(difference)
    values = [np.broadcast_to(a, y.shape).ravel() for a in arrays]
    return [*values, y.ravel()], written.ravel(), measured.ravel()


def extrapolated(difference: Callable[[float], np.ndarray]) -> np.ndarray:
    """The slopes without the errors of second and fourth order, from central differences of three sizes.

    NaN where these do not approach anything: at a kink.
    """
    one, two, four = difference(1.0), difference(0.5), difference(0.25)
    better, best = (4 * two - one) / 3, (4 * four - two) / 3
    size = np.max(np.abs(best), where=np.isfinite(best), initial=0.0)
    return np.where(np.abs(best - better) <= _SETTLED * size, (16 * best - better) / 15, np.nan)


def _is_elementwise(case: Case, i: int, measured: np.ndarray) -> bool:
    """Whether moving all elements at once gives the slopes that moving each alone gave."""
    c = case.tables[0].inputs[i]
    known = c.measured & ~c.elements.unsure & (c.elements.kind != KINK) & np.isfinite(measured)
    slopes = case.exam.upstreams[0][0].ravel() * measured
    size = np.max(np.abs(c.elements.numeric[known]), initial=0.0)
    return bool(known.any() and (np.abs(slopes - c.elements.numeric)[known] <= _SAME * size).all())


def letters(case: Case) -> list[str]:
    """The names of the inputs; letters where they are no names."""
    if all([name.isidentifier() for name in case.names]):
        return list(case.names)
    return [_LETTERS[k] if k < len(_LETTERS) else f"x{k}" for k in range(len(case.names))]


def symbols(case: Case) -> tuple[str, str]:
    """What formulas call the upstream gradient and the result: ``g`` and ``y``, unless an input is called so."""
    upstream, result = [
        next(name for name in choice if name not in case.names)
        for choice in (("g", "upstream", "upstream_"), ("y", "out", "out_"))
    ]
    return upstream, result


# ---------------------------------------------------------------------- formulas
def known_parts(names: dict[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """What formulas are made of, the simplest first."""
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


def _formulas(names: dict[str, np.ndarray]) -> tuple[list[Formula], np.ndarray]:
    """Products and quotients of up to two parts, and of up to three names; the shortest first."""
    parts = {text: v for text, v in known_parts(names) if np.isfinite(v).all()}
    kept = {text: v for text, v in parts.items() if text in names}
    found: dict[Formula, np.ndarray] = {Formula((), ()): np.ones_like(next(iter(names.values())))}
    for text, v in parts.items():
        found[Formula((text,), ())] = v
        found[Formula((), (text,))] = 1 / v
    for (a, v), (b, w) in combinations_with_replacement(parts.items(), 2):
        found[Formula((a, b), ())] = v * w
        found[Formula((), (a, b))] = 1 / (v * w)
        found[Formula((a,), (b,))] = v / w
        found[Formula((b,), (a,))] = w / v
    for three in combinations_with_replacement(kept.items(), 3):
        texts = tuple([text for text, _ in three])
        found[Formula(texts, ())] = three[0][1] * three[1][1] * three[2][1]
        for k in range(3):
            rest = [n for n in range(3) if n != k]
            found[Formula((texts[k],), tuple([texts[n] for n in rest]))] = three[k][1] / (
                three[rest[0]][1] * three[rest[1]][1]
            )
    order = sorted(found, key=lambda formula: length(formula, names))
    return order, np.stack([found[formula] for formula in order])


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

"""What the gradients at a point are compared with: the results there, their noise, and that of the gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..measuring.gauge import Gauge
from ..measuring.noise import Noise, estimate_noise
from ..measuring.point import Direction, Point
from ..measuring.probes import Claim
from ..measuring.subject import Subject, flat, where_finite
from .comparison import Noises
from .doubts import Doubts


@dataclass(frozen=True, eq=False)
class Survey:
    """What the numeric gradients at a point are measured with, the analytic gradients, which of them exist, and what
    may speak for them."""

    gauge: Gauge
    claims: list[Claim]
    given: list[bool]
    doubts: Doubts

    @cached_property
    def own(self) -> Noises:
        """The noise for moves of each element by its own magnitude."""
        doubts, point = self.doubts, self.gauge.point
        moves = [Direction(i, np.arange(a.size), point.own(i)) for i, a in enumerate(doubts.arrays)]
        return _noises(doubts.subject, doubts.arrays, doubts.upstreams, point, moves)


def survey_of(
    subject: Subject, arrays: Sequence[np.ndarray], upstreams: Sequence[np.ndarray], known: Noises | None = None
) -> Survey:
    """``known`` is the noise at a point nearby, if it was measured there. What is not finite here does not count."""
    run = subject.run(arrays)
    upstreams = where_finite(run, upstreams)
    gradients = subject.gradients(run, upstreams)
    point = subject.point(arrays)
    fits = known is not None and known.results.level.size == point.values.size
    moves = [point.elements(i) for i in range(len(arrays))]
    noises = known if known is not None and fits else _noises(subject, arrays, upstreams, point, moves)
    claims = []
    for i, (array, g) in enumerate(zip(arrays, gradients, strict=True)):
        analytic = np.zeros(array.size) if g is None else g.ravel().astype(np.float64)
        claims.append(Claim(i, analytic, noises.gradients[i], float(np.sqrt(subject.epsilon(run)))))
    gauge = Gauge(point, flat(upstreams)[point.finite], noises.results, subject.executor)
    return Survey(gauge, claims, [g is not None for g in gradients], Doubts(subject, arrays, upstreams, gradients))


def _noises(
    subject: Subject,
    arrays: Sequence[np.ndarray],
    upstreams: Sequence[np.ndarray],
    point: Point,
    moves: Sequence[Direction],
) -> Noises:
    """The noise of the finite results and of the gradients, from the same runs."""
    both = subject.point(arrays, upstreams)
    noise = estimate_noise(both, moves)
    results = point.values.size
    jitter = np.zeros(sum(a.size for a in arrays))
    jitter[both.finite[point.finite.size :]] = noise.level[results:]
    ends = np.cumsum([a.size for a in arrays])
    return Noises(Noise(noise.level[:results], noise.relative[:results]), tuple(np.split(jitter, ends[:-1])))

"""A second opinion on what differences of one given step call wrong.

A step that the caller has chosen may be too coarse for a curved function, too fine for its rounding, or reach over a
kink. Only what the differences of `check_gradients`, which know their own errors, call wrong as well is a failure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.backend import Array
from ...engine.devices import to_cpu
from ..judging.compare import compare
from ..judging.contracts import examine
from ..measuring.subject import Subject, lifted
from .check import judge

_SEED = 0


def is_wrong(given: Subject, upstreams: Sequence[Sequence[Array]]) -> bool:
    """Whether the gradients of ``given`` are wrong beyond doubt.

    Parameters
    ----------
    given : Subject
    upstreams : sequence of sequences of arrays
        Upstream gradients, one per result, for which they seemed wrong; random ones are tried as well.
    """
    rng = np.random.default_rng(_SEED)
    native = Subject(given.bound, caller=given.caller, params=given.params)
    checked = [i for i, name in enumerate(native.names) if name in given.inputs]
    checked += range(len(native.names) - len(given.params), len(native.names))
    with np.errstate(all="ignore"):
        subject = lifted(native)
        for upstream in upstreams:
            inputs = compare(subject, subject.arrays, [to_cpu(g) for g in upstream], rng).inputs
            if any(inputs[i].elements.wrong.any() or inputs[i].untraced for i in checked):
                return True
        _, reports, _ = judge(native, subject, examine(subject, rng), rng)
    return any(reports[i].verdict == "wrong" for i in checked)

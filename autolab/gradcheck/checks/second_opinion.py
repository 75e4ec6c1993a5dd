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
from .procedure import Procedure

_SEED = 0


def is_wrong(procedure: Procedure, upstreams: Sequence[Sequence[Array]]) -> bool:
    """Whether the gradients that ``procedure`` checks are wrong beyond doubt.

    Parameters
    ----------
    procedure : Procedure
    upstreams : sequence of sequences of arrays
        Upstream gradients, one per result, for which they seemed wrong; random ones are tried as well.
    """
    rng = np.random.default_rng(_SEED)
    native = Subject(procedure.bound, False, procedure.caller, params=procedure.params)
    checked = [i for i, name in enumerate(native.names) if name in procedure.names]
    checked += range(len(native.names) - len(procedure.params), len(native.names))
    with np.errstate(all="ignore"):
        subject = lifted(native)
        for given in upstreams:
            inputs = compare(subject, subject.arrays, [to_cpu(g) for g in given], rng).inputs
            if any(inputs[i].elements.wrong.any() or inputs[i].untraced for i in checked):
                return True
        _, reports, _ = judge(native, subject, examine(subject, rng), rng)
    return any(reports[i].verdict == "wrong" for i in checked)

"""``nn.utils.rnn``: sequences of different lengths as one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.habits import answering
from ...functions import stack


def pad_sequence(
    sequences: Sequence[Any], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """Stack sequences along a new axis, padding the shorter ones at the end, or at the beginning.

    Parameters
    ----------
    sequences : sequence of Variable or array
        Of shapes ``(length, ...)``, which differ only in the length.
    batch_first : bool
        Put the batch axis first; by default it comes after the length, as in PyTorch.
    padding_value : float
        The number that they are padded with.
    padding_side : str
        ``"right"``, the end, or ``"left"``.

    Examples
    --------
    >>> import autolab
    >>> from autolab.nn.utils.rnn import pad_sequence
    >>> pad_sequence([autolab.tensor([1, 2, 3]), autolab.tensor([4])], batch_first=True)
    variable([[1 2 3]
              [4 0 0]])
    """
    if padding_side not in ("left", "right"):
        raise ValueError(f"pad_sequence: padding_side is {padding_side!r:.40}; expected 'left' or 'right'")
    longest = max([len(one) for one in sequences], default=0)
    filled = []
    for one in sequences:
        missing = (longest - len(one)) * (padding_side == "left"), (longest - len(one)) * (padding_side == "right")
        widths = [missing, *[(0, 0)] * (one.ndim - 1)]
        filled.append(np.pad(one, widths, constant_values=padding_value))
    return stack(filled, axis=0 if batch_first else 1)


__getattr__ = answering(__name__, "rnn")

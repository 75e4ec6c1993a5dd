"""``nn.utils.rnn``: sequences of different lengths as one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.habits import answering
from ...functions import stack


def pad_sequence(sequences: Sequence[Any], batch_first: bool = False, padding_value: float = 0.0) -> Any:
    """Stack sequences along a new axis, padding the shorter ones at the end.

    Parameters
    ----------
    sequences : sequence of Variable or array
        Of shapes ``(length, ...)``, which differ only in the length.
    batch_first : bool
        Put the batch axis first; by default it comes after the length, as in PyTorch.
    padding_value : float
        The number that they are padded with.

    Examples
    --------
    >>> import autolab
    >>> from autolab.nn.utils.rnn import pad_sequence
    >>> pad_sequence([autolab.tensor([1, 2, 3]), autolab.tensor([4])], batch_first=True)
    variable([[1 2 3]
              [4 0 0]])
    """
    longest = max([len(one) for one in sequences], default=0)
    filled = []
    for one in sequences:
        widths = [(0, longest - len(one)), *[(0, 0)] * (one.ndim - 1)]
        filled.append(np.pad(one, widths, constant_values=padding_value))
    return stack(filled, axis=0 if batch_first else 1)


__getattr__ = answering(__name__, "rnn")

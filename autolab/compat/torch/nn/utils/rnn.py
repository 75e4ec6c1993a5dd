"""``torch.nn.utils.rnn``: sequences of several lengths, padded."""

from .....links.utils import rnn as _rnn  # noqa: F401  # for table.txt
from ....table import fill
from ..._tensor import dressed  # noqa: F401  # for table.txt

_PADDED = "give the layer the padded batch; out[range(len(lengths)), lengths - 1] are the states at the ends"
_PACKED = ("PackedSequence", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "unpack_sequence")

__getattr__ = fill(__name__, instead=dict.fromkeys(_PACKED, _PADDED))

"""``torch.nn.utils.rnn``: sequences of different lengths, padded."""

from .....links.utils import rnn as _rnn  # noqa: F401  # for table.txt
from ....table import fill
from ..._tensor import dressed  # noqa: F401  # for table.txt

__getattr__ = fill(__name__)

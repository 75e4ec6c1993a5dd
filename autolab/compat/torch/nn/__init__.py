"""``torch.nn``"""

from ...absent import gather

_CELLS = [kind + part for kind in ("LSTM", "GRU", "RNN") for part in ("", "Cell")]
_LAYERS = [*_CELLS, "MultiheadAttention", "TransformerEncoder", "TransformerEncoderLayer"]

__getattr__ = gather(__name__, "parameter", {name: f"autolab.nn.{name} has PyTorch's layout" for name in _LAYERS})

"""``torch.nn``"""

from ...absent import gather

_LAYERS = ["MultiheadAttention", "TransformerEncoder", "TransformerEncoderLayer"]

__getattr__ = gather(__name__, "parameter", {name: f"autolab.nn.{name} has PyTorch's layout" for name in _LAYERS})

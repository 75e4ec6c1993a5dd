"""``torch.optim``"""

from ...absent import gather

__getattr__ = gather(__name__, "optimizer")

"""``torch.nn``"""

from ...absent import gather

__getattr__ = gather(__name__, "parameter")

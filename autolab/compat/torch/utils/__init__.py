"""``torch.utils``"""

from ...absent import gather

__getattr__ = gather(__name__)

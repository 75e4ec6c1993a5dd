"""``torch.utils``"""

from ...absent import gather

__getattr__ = gather(__name__, instead={"checkpoint": "autolab.checkpoint(f) is called as f"})

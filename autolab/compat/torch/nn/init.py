"""``torch.nn.init``: numbers for parameters, written in place. They are NumPy's random numbers, not PyTorch's."""

from ....links.init import *  # noqa: F403

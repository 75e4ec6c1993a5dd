"""``torch.nn.init``: initialize parameters in place. The random numbers are NumPy's, not PyTorch's."""

from ....links.init import *  # noqa: F403

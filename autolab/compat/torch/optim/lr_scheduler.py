"""``torch.optim.lr_scheduler``: learning rates that change from epoch to epoch."""

from ....optimizers.lr_scheduler import *  # noqa: F403

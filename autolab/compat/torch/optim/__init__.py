"""``torch.optim``"""

from ... import missing
from . import lr_scheduler, optimizer
from ._update_rules import SGD, Adadelta, Adagrad, Adam, AdamW, RMSprop
from .optimizer import Optimizer

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Optimizer",
    "RMSprop",
    "lr_scheduler",
    "optimizer",
]

__getattr__ = missing(__name__)

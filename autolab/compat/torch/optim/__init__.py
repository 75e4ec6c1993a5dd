"""``torch.optim``"""

from ... import missing
from . import lr_scheduler, optimizer
from ._update_rules import *
from .optimizer import *

__getattr__ = missing(__name__)

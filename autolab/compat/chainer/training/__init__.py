"""``chainer.training``"""

from ... import missing
from . import extension, extensions, trainer, triggers, updaters
from .extension import PRIORITY_EDITOR as PRIORITY_EDITOR
from .extension import PRIORITY_READER as PRIORITY_READER
from .extension import PRIORITY_WRITER as PRIORITY_WRITER
from .extension import Extension as Extension
from .extension import make_extension as make_extension
from .trainer import *
from .triggers import IntervalTrigger as IntervalTrigger
from .triggers import get_trigger as get_trigger
from .updaters import *

updater, trigger = updaters, triggers

__getattr__ = missing(__name__)

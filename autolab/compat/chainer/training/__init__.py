"""``chainer.training``"""

from ...absent import gather
from . import triggers, updaters
from .triggers import get_trigger as get_trigger

__getattr__ = gather(__name__, "triggers updaters")
updater, trigger = updaters, triggers

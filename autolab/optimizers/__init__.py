"""Optimizers: update the parameters of a link by their gradients."""

from ..engine.habits import answering
from . import lr_scheduler, schedules
from .adam_rules import Adam, Adamax, AdamW, NAdam, RAdam
from .hooks import GradientClipping, GradientNoise, Lasso, WeightDecay
from .optimizer import Optimizer
from .update_rules import ASGD, SGD, AdaDelta, AdaGrad, MomentumSGD, NesterovAG, RMSprop

__all__ = [
    "ASGD",
    "SGD",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "Adamax",
    "GradientClipping",
    "GradientNoise",
    "Lasso",
    "MomentumSGD",
    "NAdam",
    "NesterovAG",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "WeightDecay",
    "lr_scheduler",
    "schedules",
]


__getattr__ = answering(__name__, "optimizers")

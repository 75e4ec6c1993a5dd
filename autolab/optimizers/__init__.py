"""Optimizers: update the parameters of a link by their gradients."""

from ..engine.habits import answering
from . import lr_scheduler, schedules
from .hooks import GradientClipping, GradientNoise, Lasso, WeightDecay
from .optimizer import Optimizer
from .update_rules import SGD, AdaDelta, AdaGrad, Adam, AdamW, MomentumSGD, NesterovAG, RMSprop

__all__ = [
    "SGD",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "GradientClipping",
    "GradientNoise",
    "Lasso",
    "MomentumSGD",
    "NesterovAG",
    "Optimizer",
    "RMSprop",
    "WeightDecay",
    "lr_scheduler",
    "schedules",
]


__getattr__ = answering(__name__, "optimizers")

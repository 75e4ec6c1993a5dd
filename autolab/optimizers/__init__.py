"""Optimizers: update the parameters of a link by their gradients.

Rules, groups, states and schedules have PyTorch's meaning, and its facade adds names and forms of arguments. The other
facades differ from them on purpose, as the sources of their libraries do:

- Chainer's and DeZero's `Adam` add ``eps`` to ``sqrt(v)`` before its bias correction (``_eps_is_corrected``);
- their `SGD` has no momentum (``update_rules.PlainSGD``), and their `MomentumSGD` keeps ``lr * g`` in its velocity;
- Chainer's `Adam` has ``eta``, a factor of the step, and its ``weight_decay_rate`` is not multiplied by ``alpha``;
- Chainer's `NesterovAG` uses the new velocity twice; its parameters have an ``update_rule`` with hooks and numbers of
  their own; hooks may come after an update; an update without a gradient counts, and changes nothing;
- DeZero's hooks get the list of parameters, and its optimizers update one parameter after the other.
"""

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

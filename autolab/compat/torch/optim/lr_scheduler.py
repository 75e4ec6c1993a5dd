"""``torch.optim.lr_scheduler``: learning rates that change from epoch to epoch."""

from ....optimizers.lr_scheduler import (  # noqa: F401
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)

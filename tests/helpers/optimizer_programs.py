"""Programs of optimizers, settings and schedules on two parameter groups, for PyTorch and what has its names.

``python tests/helpers/optimizer_programs.py`` writes PyTorch's figures into a table beside the tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).parents[1] / "optimizers" / "pytorch_figures.json"
STATES = FIGURES.with_name("pytorch_states.json")
STEPS, KEPT = 10, (3, 9)

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {},
        {"momentum": 0.9},
        {"momentum": 0.8, "nesterov": True, "weight_decay": 0.1},
        {"momentum": 0.7, "dampening": 0.3, "maximize": True},
        {"weight_decay": 0.2},
    ],
    "Adam": [
        {},
        {"betas": (0.7, 0.8), "eps": 0.1, "weight_decay": 0.1},
        {"maximize": True},
        {"amsgrad": True, "betas": (0.5, 0.6), "weight_decay": 0.1},
        {"decoupled_weight_decay": True, "weight_decay": 0.1},
    ],
    "AdamW": [
        {},
        {"betas": (0.7, 0.8), "eps": 0.1, "weight_decay": 0.3},
        {"weight_decay": 0.0, "maximize": True},
        {"amsgrad": True},
    ],
    "RMSprop": [
        {},
        {"alpha": 0.7, "eps": 0.1, "weight_decay": 0.1},
        {"momentum": 0.6, "centered": True, "eps": 0.3, "alpha": 0.6},
    ],
    "Adagrad": [
        {"eps": 0.1, "weight_decay": 0.1},
        {"eps": 1e-10},
        {"eps": 1e-10, "lr_decay": 0.3, "initial_accumulator_value": 0.2},
    ],
    "NAdam": [
        {},
        {"betas": (0.7, 0.8), "eps": 0.1, "weight_decay": 0.1, "momentum_decay": 0.3},
        {"decoupled_weight_decay": True, "weight_decay": 0.1, "maximize": True},
    ],
    "RAdam": [
        {"betas": (0.7, 0.8), "eps": 0.1, "weight_decay": 0.1},
        {"decoupled_weight_decay": True, "weight_decay": 0.1},
    ],
    "Adamax": [{"eps": 0.1, "weight_decay": 0.1}, {"betas": (0.7, 0.8)}],
    "ASGD": [{"lambd": 0.2, "alpha": 0.5, "t0": 3}, {"weight_decay": 0.1, "maximize": True}],
    "Adadelta": [{"rho": 0.7, "eps": 0.1, "weight_decay": 0.1}, {"rho": 0.9, "maximize": True}],
}
SCHEDULES: dict[str, Callable[[Any, Any], Any]] = {
    "none": lambda S, o: None,
    "step": lambda S, o: S.StepLR(o, 2, 0.5),
    "milestones": lambda S, o: S.MultiStepLR(o, [1, 4, 4], 0.3),
    "exponential": lambda S, o: S.ExponentialLR(o, 0.8),
    "lambdas": lambda S, o: S.LambdaLR(o, [lambda epoch: 0.9**epoch, lambda epoch: 1 / (1 + epoch)]),
    "factors": lambda S, o: S.MultiplicativeLR(o, [lambda epoch: 0.9, lambda epoch: 1 / (1 + epoch)]),
    "cycles": lambda S, o: S.CyclicLR(o, [0.01, 0.02], 0.2, 3, 2, "triangular2", cycle_momentum=False),
    "cycles of momentum": lambda S, o: S.CyclicLR(
        o, 0.01, [0.2, 0.3], 2, mode="exp_range", gamma=0.8, base_momentum=[0.6, 0.5], max_momentum=0.8
    ),
    "cycles of their own": lambda S, o: S.CyclicLR(
        o, 0.01, 0.2, 2, 1, scale_fn=lambda n: 1 / (1 + n), scale_mode="iterations", cycle_momentum=False
    ),
    "chain": lambda S, o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 3), S.ExponentialLR(o, 0.8), S.StepLR(o, 4, 0.5)]),
    "linear": lambda S, o: S.LinearLR(o, 0.25, 0.75, 4),
    "constant": lambda S, o: S.ConstantLR(o, 0.5, 3),
    "polynomial": lambda S, o: S.PolynomialLR(o, 5, 2.0),
    "cosine": lambda S, o: S.CosineAnnealingLR(o, 4, 0.003),
    "restarts": lambda S, o: S.CosineAnnealingWarmRestarts(o, 2, 2, 0.003),
    "one cycle": lambda S, o: S.OneCycleLR(o, [0.5, 0.2], 12),
    "one cycle, three phases": lambda S, o: S.OneCycleLR(
        o,
        [0.5, 0.2],
        12,
        pct_start=0.25,
        anneal_strategy="linear",
        base_momentum=[0.5, 0.6],
        max_momentum=[0.8, 0.9],
        div_factor=5.0,
        final_div_factor=50.0,
        three_phase=True,
    ),
    "one cycle of rates": lambda S, o: S.OneCycleLR(o, 0.3, epochs=3, steps_per_epoch=4, cycle_momentum=False),
    "sequence": lambda S, o: S.SequentialLR(o, [S.LinearLR(o, 0.1, 1.0, 3), S.CosineAnnealingLR(o, 5)], [3]),
    "sequence of three": lambda S, o: S.SequentialLR(
        o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.5), S.StepLR(o, 1, 0.9)], [2, 5]
    ),
    "plateau": lambda S, o: S.ReduceLROnPlateau(o, "min", 0.5, 1, 0.01, "abs", 1, [0.01, 0.001], 1e-3),
}


def loss(a: Any, b: Any) -> Any:
    """A loss whose gradients do not vanish on the way."""
    return ((a - 3) ** 2).sum() * 0.5 + ((b + 4) ** 2).sum() + (a.sum() * b).sum() * 0.1


def stepped(a: Any, b: Any, optimizer: Any, schedule: Any, i: int) -> list[float]:
    """One step of a training; the parameters and the learning rates after it."""
    optimizer.zero_grad()
    loss(a, b).backward()
    optimizer.step()
    if schedule is not None and type(schedule).__name__ == "ReduceLROnPlateau":
        schedule.step(3 - 0.3 * (i % 3))
    elif schedule is not None:
        schedule.step()
    return [*a.tolist(), *b.tolist(), *[group["lr"] for group in optimizer.param_groups]]


def figures(
    optim: Any, leaf: Callable[[list[float]], Any], name: str, settings: dict[str, Any], plan: str
) -> list[Any]:
    """The numbers after some of the steps."""
    a, b = leaf([1.0, -2.0]), leaf([0.7])
    optimizer = getattr(optim, name)([{"params": [a], "lr": 0.1}, {"params": [b]}], lr=0.05, **settings)
    schedule = SCHEDULES[plan](optim.lr_scheduler, optimizer)
    found = [stepped(a, b, optimizer, schedule, i) for i in range(STEPS)]
    return [found[i] for i in KEPT]


def state(optim: Any, leaf: Callable[[list[float]], Any], name: str, settings: dict[str, Any]) -> Any:
    """The ``state_dict`` after all steps, as numbers and lists."""
    a, b = leaf([1.0, -2.0]), leaf([0.7])
    optimizer = getattr(optim, name)([{"params": [a], "lr": 0.1}, {"params": [b]}], lr=0.05, **settings)
    for i in range(STEPS):
        stepped(a, b, optimizer, None, i)
    return plain(optimizer.state_dict())


def plain(value: Any) -> Any:
    """A state as numbers and lists, which JSON has."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    value = value.tolist() if hasattr(value, "tolist") else value
    return [plain(one) for one in value] if isinstance(value, list) else value


def cases() -> list[tuple[str, int, str]]:
    """Optimizer, index of its settings, and schedule."""
    found = [(name, i, plan) for name, each in SETTINGS.items() for i in range(len(each)) for plan in SCHEDULES]
    of_momentum = ("one cycle", "one cycle, three phases", "cycles of momentum")
    return [one for one in found if not (one[0] in ("Adagrad", "Adadelta", "ASGD") and one[2] in of_momentum)]


if __name__ == "__main__":
    import torch

    def leaf(values: list[float]) -> Any:
        return torch.tensor(values, dtype=torch.float64, requires_grad=True)

    table = {
        f"{name} {i} {plan}": [
            [float(f"{v:.12g}") for v in row] for row in figures(torch.optim, leaf, name, SETTINGS[name][i], plan)
        ]
        for name, i, plan in cases()
    }
    lines = [f"{json.dumps(key)}: {json.dumps(rows)}" for key, rows in table.items()]
    FIGURES.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    states = {
        f"{name} {i}": state(torch.optim, leaf, name, one)
        for name, i, plan in cases()
        if plan == "none"
        for one in [SETTINGS[name][i]]
    }
    lines = [f"{json.dumps(key)}: {json.dumps(held)}" for key, held in states.items()]
    STATES.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")

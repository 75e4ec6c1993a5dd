"""Settings of optimizers, hooks and schedules: what is assigned acts as what is constructed, or raises."""

from __future__ import annotations

import copy
import inspect
import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers.optimizer_programs import (
    FIGURES,
    SCHEDULES,
    SETTINGS,
    STATES,
    STEPS,
    cases,
    figures,
    plain,
    state,
    stepped,
)

import autolab
from autolab import Link, Parameter, optimizers
from autolab.compat import torch
from autolab.optimizers import schedules
from autolab.optimizers.settings import WORDS

S = optimizers.lr_scheduler
KINDS = [getattr(optimizers, n) for n in ("SGD", "MomentumSGD", "NesterovAG", "AdaGrad", "AdaDelta", "RMSprop")]
KINDS += [getattr(optimizers, n) for n in ("Adam", "AdamW", "Adamax", "NAdam", "RAdam", "ASGD")]
VALUES: dict[str, Any] = {
    **dict.fromkeys(("lr", "learning_rate", "eps", "epsilon", "weight_decay", "momentum", "rho", "alpha"), 0.3),
    **dict.fromkeys(("beta1", "beta2", "dampening"), 0.3),
    "betas": (0.3, 0.4),
    **dict.fromkeys(("maximize", "centered", "decoupled_weight_decay"), True),
    **dict.fromkeys(("momentum_decay", "lambd", "t0", "lr_decay", "initial_accumulator_value"), 0.3),
}
WRONG: dict[str, Any] = {**dict.fromkeys(VALUES, -1), "betas": (0.5, 1.0), "dampening": "x", "nesterov": 3}


def leaf(values: list[float]) -> Parameter:
    return Parameter(np.array(values))


def tensor(values: list[float]) -> Any:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.full)])
def test_optimizers_and_schedules_give_the_figures_of_pytorch(every: int) -> None:
    table = json.loads(FIGURES.read_text("utf-8"))
    assert len(table) == len(cases())
    for name, i, plan in cases()[::every]:
        for optim, made, kind in ((optimizers, leaf, name), (torch.optim, tensor, name)):
            found = figures(optim, made, kind, SETTINGS[name][i], plan)
            where = f"{optim.__name__} {name} {SETTINGS[name][i]} {plan}"
            rounded = 1e-6 if name in ("NAdam", "ASGD") else 1e-9  # PyTorch keeps their factors in float32
            np.testing.assert_allclose(found, table[f"{name} {i} {plan}"], rtol=rounded, atol=rounded, err_msg=where)


def test_states_have_the_names_and_figures_of_pytorch_and_are_loaded_by_either() -> None:
    """PyTorch's state goes on as its own, in the facade and in `autolab.optim`, and is handed over between the two."""
    table = json.loads(STATES.read_text("utf-8"))
    for (name, i), theirs in {tuple(key.split()): held for key, held in table.items()}.items():
        settings = SETTINGS[name][int(i)]
        found = {}
        for optim, made in ((optimizers, leaf), (torch.optim, tensor)):
            ours, where = state(optim, made, name, settings), f"{optim.__name__} {name} {settings}"
            assert ours["state"].keys() == theirs["state"].keys(), where
            for number, held in theirs["state"].items():
                assert ours["state"][number].keys() == held.keys(), where
                for key, value in held.items():
                    np.testing.assert_allclose(ours["state"][number][key], value, rtol=2e-6, err_msg=f"{where} {key}")
            for own, group in zip(ours["param_groups"], theirs["param_groups"], strict=True):
                assert {key: own[key] for key in group} == group, where
        for optim, made in ((optimizers, leaf), (torch.optim, tensor)):
            a, b = made([1.0, -2.0]), made([0.7])
            optimizer = getattr(optim, name)([{"params": [a]}, {"params": [b]}], lr=0.3)
            optimizer.load_state_dict(_with_numbers(theirs))
            again = plain(optimizer.state_dict())
            for number, held in theirs["state"].items():
                for key, value in held.items():
                    np.testing.assert_allclose(again["state"][number][key], value, rtol=1e-6, err_msg=f"{name} {key}")
            found[optim] = stepped(a, b, optimizer, None, 0)
        np.testing.assert_allclose(*found.values(), rtol=1e-6, err_msg=name)


def _with_numbers(held: Any) -> Any:
    """A recorded state as PyTorch has it: with arrays, and numbers of parameters."""
    arrays = {int(i): {k: np.asarray(v) for k, v in one.items()} for i, one in held["state"].items()}
    return {"state": arrays, "param_groups": held["param_groups"]}


def moves(optimizer: Any, weights: list[Any]) -> list[np.ndarray]:
    """Three updates of an optimizer that has made one already."""
    found = []
    for step in range(3):
        for i, w in enumerate(weights):
            g = np.array([0.5 + i, -1.0]) * (1 + step)
            w.grad = torch.from_numpy(g) if isinstance(w, torch.Tensor) else g
        optimizer.step()
        found += [np.array(w.tolist()) for w in weights]
    return found


def pair(kind: Any, **settings: Any) -> tuple[Any, list[Parameter]]:
    weights = [leaf([1.0, 2.0]), leaf([3.0, -1.0])]
    return kind([{"params": [weights[0]]}, {"params": [weights[1]]}], **settings), weights


def ways(kind: Any) -> Iterator[tuple[str, Any]]:
    """Words, and functions that assign them: to the whole optimizer, or to each of its groups."""
    for name in sorted({*WORDS, *VALUES, "nesterov", "amsgrad", "unknown_setting", "lr_scale"}):
        yield name, lambda o, v, name=name: setattr(o, name, v)
        yield name, lambda o, v, name=name: [group.__setitem__(name, v) for group in o.param_groups]


def test_a_setting_that_is_assigned_is_that_of_the_construction_or_raises() -> None:
    honoured = set()
    for kind in KINDS:
        for i, (name, assign) in enumerate(ways(kind)):
            groups = i % 2
            usual = {} if name != "nesterov" else {"momentum": 0.5} if kind is optimizers.SGD else {}
            value = VALUES.get(name, True)
            if groups:
                optimizer, weights = pair(kind, **usual)
            else:
                weights = [leaf([1.0, 2.0])]
                optimizer = kind(weights, **usual)
            where = f"{kind.__name__} {name} {'group' if groups else 'attribute'}"
            before = repr(optimizer)
            try:
                assign(optimizer, value)
            except (AttributeError, KeyError, ValueError, TypeError) as error:
                assert kind.__name__ in str(error) and len(str(error)) <= 302, (where, error)
                assert repr(optimizer) == before, where
                continue
            if not groups and name in ("unknown_setting", "lr_scale"):
                continue  # an attribute of a reader, and no setting of any library
            assert name not in ("unknown_setting", "lr_scale"), where
            if groups:
                other, twins = pair(kind, **usual, **{name: value})
            else:
                twins = [leaf([1.0, 2.0])]
                other = kind(twins, **usual, **{name: value})
            for a, b in zip(moves(optimizer, weights), moves(other, twins), strict=True):
                np.testing.assert_array_equal(a, b, err_msg=where)
            if groups and name in VALUES:
                assert optimizer.param_groups[1][name] == value, where
            honoured.add(where)
            if name in WRONG:
                with pytest.raises((ValueError, TypeError, AttributeError), match=kind.__name__):
                    assign(optimizer, WRONG[name])
    for setting in ("lr", "learning_rate", "weight_decay", "maximize"):
        assert {f"{kind.__name__} {setting} {how}" for kind in KINDS for how in ("group", "attribute")} <= honoured
    assert {"Adam betas group", "SGD momentum group", "SGD nesterov attribute", "RMSprop alpha group"} <= honoured


def test_a_setting_of_a_group_of_pytorchs_facade_is_that_of_the_construction_or_raises() -> None:
    """Given for all groups, for one, or assigned later; and loaded from the state of such an optimizer."""
    honoured = 0
    for name in SETTINGS:
        kind = getattr(torch.optim, name)
        for key in [one for one in inspect.signature(kind).parameters if one != "params"]:
            usual = {"momentum": 0.5} if key in ("nesterov", "dampening") else {}
            where, value = f"{name} {key}", VALUES.get(key, True)
            weights = [[tensor([1.0, 2.0]), tensor([3.0, -1.0])] for _ in range(4)]
            try:
                given = kind(weights[0], **usual, **{key: value})
            except NotImplementedError:
                with pytest.raises(ValueError, match=f"{name}: {key} is True; this update rule has only False"):
                    kind(weights[1]).param_groups[0][key] = value
                continue
            of_a_group, assigned, loaded = (
                kind([{"params": weights[1], key: value}], **usual),
                kind(weights[2], **usual),
                kind(weights[3], lr=0.7),
            )
            assigned.param_groups[0][key] = value
            assert assigned.param_groups[0][key] == value, where
            expected = moves(given, weights[0])
            for one, its in ((of_a_group, weights[1]), (assigned, weights[2])):
                np.testing.assert_array_equal(moves(one, its), expected, err_msg=where)
            loaded.load_state_dict(given.state_dict())
            for p, q in zip(weights[3], weights[0], strict=True):
                p.data = q.detach().clone()
            np.testing.assert_array_equal(moves(loaded, weights[3]), moves(given, weights[0]), err_msg=where)
            honoured += 1
    assert honoured >= 75


def test_what_is_changed_in_a_state_is_what_the_next_step_of_the_facade_uses() -> None:
    w = tensor([1.0, 2.0])
    optimizer = torch.optim.Adam([w], lr=0.1)
    w.grad = torch.ones(2, dtype=torch.float64)
    optimizer.step()
    optimizer.state[w]["exp_avg"].zero_()
    before, w.grad = w.tolist(), torch.zeros(2, dtype=torch.float64)
    for twin in (copy.deepcopy(optimizer), optimizer):
        own = twin.param_groups[0]["params"][0]
        own.grad = w.grad
        twin.step()
        assert own.tolist() == before and twin.state[own]["step"] == 2
    optimizer.state.clear()
    optimizer.step()
    assert optimizer.state[w]["step"] == 1
    optimizer.state[w]["exp_avg"] = torch.zeros(3)
    with pytest.raises(ValueError, match=r"Adam: '0/exp_avg' has shape \(3,\)"):
        optimizer.step()


def test_a_state_of_other_groups_is_refused_by_their_number() -> None:
    """It would leave the settings of a group as they are, or name another kind of optimizer."""
    for kind, lr in itertools.product(KINDS, (0.1, lambda t: 0.1 / (1 + t))):
        there, own = (kind([{"params": leaf([i])} for i in range(n)], lr=lr) for n in (1, 2))
        for one, other in ((there, own), (own, there)):
            if isinstance(lr, float) or len(one.state()) > 1:  # else no group says anything
                counts = [len(optimizer.param_groups) for optimizer in (other, one)]
                with pytest.raises(
                    ValueError, match="groups of parameters: the state has {}, the optimizer {};".format(*counts)
                ):
                    one.load_state(other.state())
    scheduled = optimizers.SGD([{"params": leaf([i])} for i in range(2)], lr=lambda t: 0.1)
    optimizers.SGD([{"params": leaf([i])} for i in range(2)], lr=0.1).load_state(scheduled.state())


def test_groups_are_those_of_pytorch_in_the_order_given() -> None:
    weights = [leaf([float(i)]) for i in range(4)]
    optimizer = optimizers.Adam([{"params": weights[:1], "lr": 0.5}, {"params": [weights[1]]}], lr=0.1)
    optimizer.add_param_group({"params": weights[2], "betas": (0.5, 0.6), "name": "new"})
    assert [[p.data[0] for p in g["params"]] for g in optimizer.param_groups] == [[0], [1], [2]]
    assert [g["lr"] for g in optimizer.param_groups] == [0.5, 0.1, 0.1]
    assert optimizer.param_groups[2]["betas"] == (0.5, 0.6) and optimizer.param_groups[2]["name"] == "new"
    theirs = torch.optim.Adam([torch.zeros(1, requires_grad=True)], lr=0.1).param_groups[0]
    ours = optimizer.param_groups[1]
    assert {name: ours[name] for name in theirs if name not in ("params", "lr", "betas")} == {
        name: theirs[name] for name in theirs if name not in ("params", "lr", "betas")
    }
    again = optimizers.Adam([dict(group) for group in optimizer.param_groups])  # a group is a dictionary of settings
    assert [dict(g) for g in again.param_groups] == [dict(g) for g in optimizer.param_groups]
    with pytest.raises(AttributeError, match=r"Adam.lr: there are 3 parameter groups.*param_groups\[i\]\['lr'\]"):
        optimizer.lr = 0.3
    for wrong in (
        {"params": weights[0]},
        {"params": weights[3], "foo": 1},
        {"params": weights[3], "lr": -1},
        {"lr": 1},
    ):
        with pytest.raises((ValueError, TypeError), match="Adam"):
            optimizer.add_param_group(wrong)
    assert len(optimizer.param_groups) == 3
    frozen = optimizer.param_groups[0]
    frozen["lr"] = 0.0
    for twin in (optimizer, copy.deepcopy(optimizer)):
        own = [p for group in twin.param_groups for p in group["params"]]
        before = [p.data.copy() for p in own]
        for p in own:
            p.grad = np.ones(1)
        twin.step()
        assert [bool((a == p.data).all()) for a, p in zip(before, own, strict=True)] == [True, False, False]
    assert (
        optimizers.SGD(weights).setup([{"params": weights[:2]}, {"params": weights[2:]}]).param_groups[1]["lr"] == 0.01
    )


def training(plan: str, name: str = "SGD") -> list[Any]:
    """Parameters, an optimizer with two groups, and its schedule."""
    a, b = leaf([1.0, -2.0]), leaf([0.7])
    groups = [{"params": [a], "lr": 0.1}, {"params": [b]}]
    settings = {"momentum": 0.5} if name == "SGD" else {}
    optimizer = getattr(optimizers, name)(groups, lr=0.05, weight_decay=0.1, **settings)
    return [a, b, optimizer, SCHEDULES[plan](S, optimizer)]


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.full)])
def test_a_training_goes_on_exactly_whatever_the_order_of_loading(every: int) -> None:
    number = 0
    for plan, name in itertools.product([one for one in SCHEDULES if one != "none"], ("SGD", "Adam")):
        straight = training(plan, name)
        for i in range(4):
            stepped(*straight, i)
        saved = [p.data.copy() for p in straight[:2]], straight[2].state_dict(), straight[3].state_dict()
        rest = [stepped(*straight, i) for i in range(4, STEPS)]
        for order in itertools.permutations(("model", "optimizer", "schedule")):
            for made_late in (False, True):  # the schedule is constructed after the optimizer was loaded
                number += 1
                if number % every or (made_late and order.index("schedule") < order.index("optimizer")):
                    continue
                a, b, optimizer, schedule = training("none" if made_late else plan, name)
                for part in order:
                    if part == "model":
                        a.data, b.data = [p.copy() for p in saved[0]]
                    elif part == "optimizer":
                        optimizer.load_state_dict(copy.deepcopy(saved[1]))
                    else:
                        schedule = SCHEDULES[plan](S, optimizer) if made_late else schedule
                        schedule.load_state_dict(copy.deepcopy(saved[2]))
                found = [stepped(a, b, optimizer, schedule, i) for i in range(4, STEPS)]
                assert found == rest, (plan, name, order, made_late)


OF_SCHEDULES: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
    (S.StepLR, {"step_size": 3}, {"step_size": 2, "gamma": 0.3}),
    (S.MultiStepLR, {"milestones": [2]}, {"milestones": [1, 3], "gamma": 0.3}),
    (S.ExponentialLR, {"gamma": 0.5}, {"gamma": 0.3}),
    (S.LinearLR, {}, {"end_factor": 0.5, "total_iters": 3}),
    (S.ConstantLR, {}, {"total_iters": 2}),
    (S.PolynomialLR, {}, {"total_iters": 3, "power": 2.0}),
    (S.CosineAnnealingLR, {"T_max": 5}, {"T_max": 3, "eta_min": 0.01}),
    (S.CosineAnnealingWarmRestarts, {"T_0": 5}, {"T_0": 2, "T_mult": 2, "eta_min": 0.01}),
    (S.OneCycleLR, {"max_lr": 1.0, "total_steps": 10}, {"total_steps": 8, "pct_start": 0.5, "three_phase": True}),
    (S.OneCycleLR, {"max_lr": 1.0, "total_steps": 10}, {"anneal_strategy": "linear", "cycle_momentum": False}),
    (S.CyclicLR, {"base_lr": 0.1, "max_lr": 1.0, "cycle_momentum": False}, {"step_size_up": 2, "step_size_down": 3}),
    (S.CyclicLR, {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 2}, {"cycle_momentum": False, "mode": "triangular2"}),
    (S.CyclicLR, {"base_lr": 0.1, "max_lr": 1.0, "mode": "exp_range"}, {"gamma": 0.5, "scale_fn": lambda n: 0.1}),
    (S.ReduceLROnPlateau, {}, {"factor": 0.5, "patience": 1, "threshold": 0.2, "threshold_mode": "abs", "cooldown": 1}),
]


def test_settings_of_schedules_act_when_they_are_assigned_or_raise() -> None:
    def rates(schedule: Any) -> list[float]:
        found = []
        for i in range(6):
            schedule.step(*([3 - 0.1 * i] if isinstance(schedule, S.ReduceLROnPlateau) else []))
            found.append(schedule.optimizer.param_groups[0]["lr"])
        return found

    for kind, usual, others in OF_SCHEDULES:
        for name, value in others.items():
            schedule, other = [
                kind(optimizers.SGD([leaf([1.0])], lr=0.1), **s) for s in (usual, {**usual, name: value})
            ]
            setattr(schedule, name, value)
            assert rates(schedule) == pytest.approx(rates(other), rel=1e-12), (kind, name)
        for word in ("max_lr", "gama", "lr", "learning_rate", "warmup", "T_mul"):
            with pytest.raises(AttributeError, match=f"{kind.__name__} has no setting '{word}'; expected "):
                setattr(schedule, word, 1)
    step = S.StepLR(optimizers.SGD([leaf([1.0])]), 2)
    for name, value in (("step_size", 0), ("step_size", None)):
        with pytest.raises(ValueError, match="StepLR: step_size is"):
            setattr(step, name, value)
    for schedule in (schedules.cosine(0.1, 10), schedules.step(0.1, 2)):
        with pytest.raises(AttributeError, match="rate"):
            schedule.rate = 1.0  # type: ignore[misc]


def test_settings_of_hooks_act_when_they_are_assigned_or_raise() -> None:
    model = Link()
    model.w = Parameter(np.array([3.0, 4.0]))
    optimizer = optimizers.SGD(lr=1.0).setup(model)
    made = {
        "rate": (optimizers.WeightDecay, optimizers.Lasso),
        "threshold": (optimizers.GradientClipping,),
        "eta": (optimizers.GradientNoise,),
    }
    for name, kinds in made.items():
        for kind in kinds:
            found = []
            hook = kind(0.1)
            setattr(hook, name, 0.7)
            for each in (hook, kind(0.7)):
                model.w.grad = np.array([1.0, 2.0])
                with autolab.using_config("rng", np.random.default_rng(0)):
                    each(optimizer)
                found.append(model.w.grad.data)
            np.testing.assert_array_equal(*found)
            with pytest.raises(ValueError, match=f"{kind.__name__}: {name} is -1"):
                setattr(hook, name, -1)
            for word in WORDS - {name, "rate"}:
                with pytest.raises(AttributeError, match=f"{kind.__name__} has no setting"):
                    setattr(hook, word, 0.5)


def test_an_own_rule_calls_its_attributes_as_it_likes() -> None:
    class Rule(optimizers.Optimizer):
        def __init__(self, lr: float, alpha: float = 0.5, momentum: float = 0.25) -> None:
            super().__init__(lr)
            self.alpha, self.momentum = alpha, momentum

        def update_one(self, w: Any, g: Any, state: Any) -> Any:
            return w - self.rate * self.alpha * g

    weights = [leaf([1.0]), leaf([1.0])]
    optimizer = Rule([{"params": [weights[0]], "alpha": 0.0}, {"params": [weights[1]]}], lr=1.0, weight_decay=0.5)
    for w in weights:
        w.grad = np.ones(1)
    optimizer.step()
    assert [w.data.tolist() for w in weights] == [[1.0], [0.25]] and optimizer.momentum == 0.25


def test_a_schedule_that_is_constructed_with_the_last_epoch_resumes_as_in_pytorch() -> None:
    """The rates are those that PyTorch gives."""
    plans: dict[Any, list[float]] = {
        S.ExponentialLR: [0.0125, 0.00625, 0.003125],
        S.CosineAnnealingLR: [0.05, 0.013397459621, 0.0],
        S.PolynomialLR: [0.05, 0.025, 0.0],
        S.StepLR: [0.025, 0.025, 0.0125],
    }
    given: dict[Any, tuple[Any, ...]] = {S.ExponentialLR: (0.5,), S.StepLR: (2, 0.5)}
    for kind, expected in plans.items():
        optimizer = optimizers.SGD([leaf([1.0])], lr=0.1)
        first = kind(optimizer, *given.get(kind, (6,)))
        for _ in range(3):
            first.step()
        later, found = kind(optimizer, *given.get(kind, (6,)), last_epoch=first.last_epoch), []
        for _ in expected:
            found.append(optimizer.lr)
            later.step()
        np.testing.assert_allclose(found, expected, atol=1e-9, err_msg=kind.__name__)

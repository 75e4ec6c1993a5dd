"""Plans: what repeats is one group, and what a group holds alone is not told apart from it."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.network import BLOCKS, recorded

import autolab
from autolab import functions as F
from autolab import links as L
from autolab.recording.outline import Group


def test_a_loop_over_links_holds_the_links_themselves() -> None:
    tree = recorded().outline
    (loop,) = [group for group in tree.groups.values() if group.kind == "loop"]
    assert [item.scope.block for item in loop.items] == [f"blocks.{k}: Block" for k in range(BLOCKS)]
    assert all(isinstance(item, Group) and len(item.items) == 4 for item in loop.items)
    assert not tree.at_first() & {loop.id, *[item.id for item in loop.items]}


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ([(L.Linear, 8, 8)] * 15, [(15, "0: Linear")]),
        ([(L.Linear, 3, 8), *[(L.Linear, 8, 8)] * 12, (L.Linear, 8, 2)], [(13, "0: Linear")]),  # of one output shape
        ([(L.Linear, 8, 8), (L.LayerNormalization, 8)] * 7, [(7, None)]),  # two that repeat together
        ([(L.Linear, 8, 8), (L.LayerNormalization, 8)] * 2 + [(L.Linear, 8 + k, 9 + k) for k in range(12)], []),
    ],
    ids=["alike", "but for the ends", "pairs", "of many shapes"],
)
def test_links_of_one_class_that_follow_each_other_are_a_stack(layers, expected) -> None:
    net = L.Sequential(*[make(*sizes) for make, *sizes in layers])
    tree = autolab.record(net, np.ones((2, layers[0][1]))).outline
    assert tree.is_plan
    found = [group for group in tree.groups.values() if group.is_repeated]
    assert [(len(group.items), group.items[0].scope and group.items[0].scope.block) for group in found] == expected


def test_branches_that_look_alike_are_no_stack_unless_numbers_tell_them_apart() -> None:
    class Heads(autolab.Link):
        def __init__(self, names: list[str]) -> None:
            super().__init__()
            for name in names:
                setattr(self, name, L.Linear(4, 4))
            self.names = names

        def forward(self, x: autolab.Variable) -> autolab.Variable:
            branches = [F.tanh(x) for x in [x] * 30]
            first, second, third = [getattr(self, name) for name in self.names]
            a, b, c = first(x), second(x), third(x)
            return (a * b + c + sum(branches)).sum()

    for names, count in ((["q", "k", "v"], 0), (["head1", "head2", "head3"], 1)):
        tree = autolab.record(Heads(names), np.ones((2, 4))).outline
        assert len([group for group in tree.groups.values() if group.kind == "stack"]) == count


def test_parameters_that_are_inputs_stand_in_the_call_that_uses_them() -> None:
    def layer(h, p):
        return np.tanh(h @ p["W"] + p["b"])

    def model(x, params):
        for p in params:
            x = layer(x, p)
        return x.sum()

    params = [{"W": np.eye(3), "b": np.zeros(3)} for _ in range(9)]
    tree = autolab.record(model, np.ones((2, 3)), params).outline
    assert [item.id for item in tree.items][:2] == [0, next(iter(i.id for i in tree.items if isinstance(i, Group)))]
    inside = [step.name for group in tree.groups.values() if group.kind == "pass" for step in group.steps]
    assert {"params[0][W]", "params[8][b]"} <= set(inside)

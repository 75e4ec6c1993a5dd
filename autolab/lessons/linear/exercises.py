"""Exercises of 03 Linear: y = x @ W.T + b with a batch of 5, 4 inputs and 3 outputs."""

from __future__ import annotations

import numpy as np

from ...lesson.exercise import Exercise, OwnGradient, Prediction, Values, normal
from ...lesson.written_link import linked

_BATCH = 5
_parts = normal(x=(_BATCH, 4), W=(3, 4), gy=(_BATCH, 3))

EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "linear-predict-shape",
        lambda: "b",
        choices=("a", "b", "c"),
        says={
            "right": "A gradient has the shape of what it belongs to: one number for each number.",
            "a": "That is the shape of x. What is the shape of W?",
            "c": "That is the shape of W.T. What is the shape of W itself?",
        },
    ),
    Prediction(
        "linear-predict-bias",
        lambda: float(_BATCH),
        {"one": lambda: 1.0, "mean": lambda: 1 / _BATCH},
        says={
            "right": "One bias serves every example. Each example contributes a share, and the shares add up.",
            "one": "That is the share of one example. To how many examples is the same bias added?",
            "mean": "That is the mean of the five shares. Are shares added or averaged?",
            "hint": "How many results move if b[0] moves?",
        },
    ),
    Values(
        "linear-gx",
        _parts,
        lambda x, W, gy: gy @ W,
        {"no_upstream": lambda x, W, gy: np.broadcast_to(W.sum(axis=0), x.shape)},
        says={
            "right": "For each example: its upstream gradient, spread back through the weights.",
            "hint": "gx has the shape of x. Which product of gy (5, 3) and W (3, 4) has it?",
            "no_upstream": "Your result does not change with gy. Where should the upstream gradient come in?",
        },
    ),
    Values(
        "linear-gW",
        _parts,
        lambda x, W, gy: gy.T @ x,
        {"turned": lambda x, W, gy: x.T @ gy},
        says={
            "right": "Each weight gathers, over all examples, its input times its upstream gradient.",
            "turned": "The numbers are right, but in the wrong place. How does your shape compare with that of W?",
            "hint": "gW has the shape of W. Which product of gy (5, 3) and x (5, 4), one of them transposed, has it?",
        },
    ),
    Values(
        "linear-gb",
        normal(gy=(_BATCH, 3)),
        lambda gy: gy.sum(axis=0),
        {
            "copies": lambda gy: gy,
            "mean": lambda gy: gy.mean(axis=0),
            "other_axis": lambda gy: gy.sum(axis=1),
            "all": lambda gy: gy.sum(),
        },
        says={
            "right": "The forward copies b to every example. The backward adds the copies' shares.",
            "copies": "These are the shares, one for each example. How many times does b exist?",
            "mean": "You averaged over the examples. Does the forward divide by anything?",
            "other_axis": "You have one number per example. b has one per output: along which axis do you add?",
            "all": "You added everything up into one number. How many numbers does b have?",
            "hint": "Along which axis was b copied?",
        },
    ),
    OwnGradient(
        "linear-own",
        normal(x=(_BATCH, 4), W=(3, 4), b=(3,)),
        lambda x, W, b: x @ W.T + b,
        says={
            "right": "All three gradients agree with numeric ones, for unequal sizes and a random upstream gradient.",
            "wrong_shape": (
                "Write the shape of each factor above it: only one order fits. For b, add up along one axis."
            ),
            "unreduced_broadcast": "The forward copies b to every example. b is there once: add the copies' shares.",
            "wrong_factor": "Is there a mean in the forward? Then what do the shares of the batch do?",
            "hint": "You have written all three lines above, for arrays. What changes for Variables?",
        },
    ),
    Values(
        "linear-own-link",
        normal(x=(_BATCH, 4), W=(_BATCH, 4)),
        lambda x, W: W * x,
        measure=linked("W", 0, np.shape),
        says={
            "right": "Your W is a parameter: the link knows it, and an optimizer will find it.",
            "unregistered": "The link knows no parameter called W. Is it a Parameter, and is it assigned to self.W?",
            "start": "What are the first numbers of your W? They should be zeros.",
            "detached": (
                "No gradient reaches W. Do you multiply by the parameter itself, or by its .data, which remembers "
                "nothing?"
            ),
            "hint": "Two lines: what is self.W in __init__, and what does forward return?",
        },
    ),
)

"""The walk back through a graph, from a Variable to those that it was computed from."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import autolab
from autolab import FunctionNode, Variable
from autolab import functions as F
from autolab.compat import dezero


class Sum(FunctionNode):
    def forward(self, inputs):
        return (inputs[0] + inputs[1],)

    def backward(self, indexes, grad_outputs):
        return grad_outputs * 2


class Own(Sum):
    def forward(self, inputs):
        self.inputs = "mine"
        return super().forward(inputs)


def test_the_inputs_are_the_variables_that_went_in():
    x, w = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    h = w * x
    y = F.sum(F.exp(h))
    assert h.creator.inputs[0] is w and h.creator.inputs[1] is x
    exp = y.creator.inputs[0].creator
    assert (exp.name, exp.label, y.creator.name) == ("exp", "exp", "sum") and exp.inputs[0] is h
    total = Sum().apply((h, x))[0]
    assert (h.creator.rank, exp.rank, y.creator.rank, total.creator.rank) == (0, 1, 2, 1)
    assert exp == y.creator.inputs[0].creator != h.creator and len({exp, y.creator.inputs[0].creator}) == 1
    assert x.creator is None and "mul" in repr(h.creator)
    assert F.concatenate([x, w, x]).creator.inputs[2] is x


def test_what_nobody_holds_has_no_numbers():
    x = Variable(2.0)
    y = F.exp(3 * x)
    times = y.creator.inputs[0]
    three, same = times.creator.inputs
    assert same is x and three.creator is None and repr(times) == repr(three) == "variable(?)"
    for use in (lambda: times + 1, lambda: times.shape, lambda: float(times), lambda: np.sin(times)):
        with pytest.raises(RuntimeError, match=r"has not kept the numbers of this input.*autolab.record\(f, x\)"):
            use()


def test_a_function_of_a_user_has_them_too():
    x, w = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    y = Sum().apply((x, w))[0]
    h = y * 1
    assert h.creator.inputs[0] is y and y.creator.inputs[0] is x and y.creator.inputs[1] is w
    assert y.creator.label == "Sum" and isinstance(y.creator, Sum)
    assert Own().apply((x, w))[0].creator.inputs == "mine"
    for missing in (Sum(), Sum().apply((x.detach(), w.detach()))[0]):
        with pytest.raises(AttributeError, match="inputs"):
            _ = (missing if isinstance(missing, Sum) else missing.creator).inputs


def test_one_of_several_results():
    x = Variable(np.diag([1.0, 2.0]))
    values, vectors = np.linalg.eigh(x)
    assert F.neg(vectors).creator.rank == 1
    assert values.creator == vectors.creator and vectors.creator.inputs[0] is x
    (above, number), (leaf, zero) = F.mul(vectors, x).creator.next_functions
    assert (above, number, zero) == (vectors.creator, 1, 0)
    assert (leaf.label, leaf.function, leaf.next_functions) == ("leaf", None, ())


def test_all_functions_are_met_in_a_walk_as_dezero_s_backward_takes_it():
    x = dezero.Variable(np.array(2.0))
    y = F.exp(F.sin(x)) * x
    waiting, met = [y.creator], []
    while waiting:
        function = waiting.pop()
        met.append(function.name)
        waiting += [v.creator for v in function.inputs if v.creator is not None]
    assert met == ["mul", "exp", "sin"]


def test_a_graph_is_still_freed_at_once():
    gc.disable()
    try:
        x = Variable(2.0)
        y = Sum().apply((F.exp(x), x))[0] * x
        assert y.creator.inputs[0].creator.inputs[1] is x
        node = weakref.ref(y.creator.inputs[0].node)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_pytorch_s_name_leads_there_too():
    x = Variable(2.0)
    y = x * 3 + 1
    assert y.grad_fn.next_functions[0][0] == y.grad_fn.inputs[0].grad_fn
    assert autolab.graph(y).steps[-1].function == "add" == y.grad_fn.name

"""The registry of a Link: its three doors, names, copies and state."""

from __future__ import annotations

import copy
import operator
import pickle

import numpy as np
import pytest
from helpers.each import each

from autolab import Chain, ChainList, Link, Parameter, Sequential, Variable, initializers
from autolab import functions as F
from autolab import links as L


class Product(Link):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.W = Parameter(initializers.Normal(scale=1.0), (3,))

    def forward(self, x):
        return self.W * x


class Net(Chain):
    def __init__(self):
        super().__init__()
        self.l1 = L.Linear(3, 4)
        self.l2 = L.Linear(None, 2)

    def forward(self, x):
        return self.l2(F.tanh(self.l1(x)))


@pytest.mark.source("CO-22", "CI-07")
def test_a_link_holds_parameters_and_is_called_like_a_function():
    link = Product()
    assert isinstance(link.W, Parameter) and link.W.dtype == np.float32
    y = link(np.float32([1, 2, 3]))
    np.testing.assert_array_equal(y.data, link.W.data * np.float32([1, 2, 3]))


@pytest.mark.source("CI-11")
def test_one_model_written_in_four_ways():
    l1, l2 = L.Linear(3, 4), L.Linear(4, 2)

    def function(x):
        return l2(F.tanh(l1(x)))

    class Plain:
        def __init__(self):
            self.first, self.last = l1, l2

        def __call__(self, x):
            return self.last(F.tanh(self.first(x)))

    class Registered(Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.first, self.last = l1, l2

        def forward(self, x):
            return self.last(F.tanh(self.first(x)))

    class Row(ChainList):
        def forward(self, x):
            return self[1](F.tanh(self[0](x)))

    x = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    chain, row = Registered(), Row(l1, l2)
    for model in (function, Plain(), chain, row):
        np.testing.assert_array_equal(model(x).data, l2(F.tanh(l1(x))).data)
    assert [name for name, _ in chain.namedparams()] == ["/first/W", "/first/b", "/last/W", "/last/b"]
    assert list(chain.params()) == list(row.params()) == [l1.W, l1.b, l2.W, l2.b]
    assert row[0] is l1 and len(row) == 2 and chain.to_cpu() is chain


@pytest.mark.source("PT-17", "PT-18", "DZ-34")
def test_three_doors_lead_to_one_ordered_registry():
    link = Link()
    link.plain = Parameter(1.0, (2,))
    with link.init_scope():
        link.scoped = Parameter(2.0, (3,))
    link.register_parameter("named", Parameter(3.0, (4,)))
    link.register_parameter("nothing", None)
    link.register_buffer("mean", np.zeros(5))
    link.child = Product()
    assert [name for name, _ in link.namedparams()] == ["/plain", "/scoped", "/named", "/child/W"]
    assert link.nothing is None and all(p.requires_grad for p in link.params())
    assert [name for name, _ in link.namedbuffers()] == ["/mean"] and "mean" in link.state()
    assert [p.name for p in link.params()] == ["plain", "scoped", "named", "W"]
    assert list(link.children()) == [link.child]
    assert link.count_params() == 2 + 3 + 4 + 3
    del link.plain
    assert [name for name, _ in link.namedparams()] == ["/scoped", "/named", "/child/W"]
    link.scoped = Parameter(5.0, (1,))  # keeps its place
    assert [p.shape for p in link.params()] == [(1,), (4,), (3,)]


def test_a_parameter_that_links_share_comes_once():
    net = Chain(a=L.Linear(2, 2), b=L.Linear(2, 2))
    net.b.W = net.a.W
    assert [name for name, _ in net.namedparams()] == ["/a/W", "/a/b", "/b/b"]
    assert all(a is b for (_, a), b in zip(net.namedparams(), net.params(), strict=True))
    both = ChainList(net.a, net.a)
    assert len(list(both.links())) == 2 and len(list(both.params())) == 2
    twin = net.copy("copy")
    assert twin.a.W is twin.b.W and twin.a.W is not net.a.W


def test_params_follow_every_change_of_the_links_inside():
    net = Net()

    def listed() -> list[str]:
        names = {id(p): path for path, p in net.namedparams()}
        return [names[id(p)] for p in net.params()]

    assert listed() == ["/l1/W", "/l1/b", "/l2/W", "/l2/b"]
    net.l1.extra = Parameter(1.0)
    assert listed() == ["/l1/W", "/l1/b", "/l1/extra", "/l2/W", "/l2/b"]
    del net.l1.extra
    assert listed() == ["/l1/W", "/l1/b", "/l2/W", "/l2/b"]
    net.l1.b = None
    assert listed() == ["/l1/W", "/l2/W", "/l2/b"]
    net.l2.W = Parameter(2.0)
    assert list(net.params())[1] is net.l2.W
    net.l1 = L.Linear(3, 4, nobias=True)
    assert next(net.params()) is net.l1.W
    net.l1 = None
    assert listed() == ["/l2/W", "/l2/b"]
    assert not {id(p) for p in net.params()} & {id(p) for p in net.copy().params()}
    twins = net.copy(), copy.copy(net), copy.deepcopy(net), pickle.loads(pickle.dumps(net))
    for twin in twins:
        twin.l2 = L.Linear(4, 2)
        assert [p is q for p, q in zip(twin.params(), twin.l2.params(), strict=True)] == [True, True]


@each(
    ("act", "error", "message"),
    [
        (lambda link: setattr(link, "W", np.ones(3)), TypeError, "Product.W is a parameter; got an ndarray"),
        (lambda link: setattr(link, "params", Parameter(0.0)), AttributeError, "'params' is a method"),
        (lambda link: link.register_parameter("a/b", Parameter(0.0)), ValueError, "'a/b'"),
        (lambda link: link.register_parameter("a", np.ones(2)), TypeError, "expected a Parameter"),
        (lambda link: link.register_buffer("a", Variable(1.0) * 2), TypeError, "'a' is computed"),
        (lambda link: link.register_buffer("a", ["text"]), TypeError, "'a' is an array of"),
        (lambda link: link.copy("deep"), ValueError, "expected 'share', 'copy' or 'init'"),
        (lambda link: Link().forward(1), NotImplementedError, "write forward"),
        (lambda link: Chain(a=1), TypeError, "'a' is an int; expected a Link"),
        (lambda link: ChainList(F.relu), TypeError, "expected a Link"),
        (lambda link: Sequential(3), TypeError, "expected a Link or a function"),
        (lambda link: link.load_state({}), ValueError, "the loaded state lacks W; nothing was loaded"),
        (
            lambda link: link.load_state({"W": np.ones(3), "V": 1}),
            ValueError,
            "what it is loaded into lacks V; nothing was loaded",
        ),
        (lambda link: link.load_state({"W": np.ones(4)}), ValueError, r"'W' has shape \(4,\); expected \(3,\)"),
    ],
)
def test_errors_name_the_place_and_leave_the_link_as_it_was(act, error, message):
    link = Product()
    before = link.W.data.copy()
    with pytest.raises(error, match=message):
        act(link)
    assert [name for name, _ in link.namedparams()] == ["/W"]
    np.testing.assert_array_equal(link.W.data, before)


def test_a_subclass_that_forgot_super_is_told():
    class Forgot(Link):
        def __init__(self):
            self.W = Parameter(0.0)

    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) in Forgot.__init__ before 'W'"):
        Forgot()


def test_copies_share_or_have_their_own():
    net = Net()
    net(np.ones((1, 3), np.float32))
    shared, own, drawn = net.copy(), net.copy("copy"), net.copy("init")
    assert shared.l1.W is not net.l1.W and shared.l1.W.data is net.l1.W.data
    np.testing.assert_array_equal(own.l1.W.data, net.l1.W.data)
    assert not np.shares_memory(own.l1.W.data, net.l1.W.data)
    assert drawn.l1.W.shape == (4, 3) and not np.array_equal(drawn.l1.W.data, net.l1.W.data)
    F.sum(shared(np.ones((1, 3), np.float32))).backward()
    assert shared.l1.W.grad is not None and net.l1.W.grad is None
    deep = copy.deepcopy(net)
    np.testing.assert_array_equal(deep.l2.b.data, net.l2.b.data)


class Weights(Parameter):
    def __init__(self, count, tag):
        super().__init__(initializers.Normal(), count)
        self.tag = tag


@pytest.mark.parametrize("mode", ["share", "copy", "init"])
def test_a_copied_parameter_keeps_its_class_and_its_attributes(mode):
    link = Link()
    link.W = Weights(3, "own")
    twin = link.copy(mode)
    assert (type(twin.W), twin.W.tag, twin.W.name, twin.W.shape) == (Weights, "own", "W", (3,))
    assert np.array_equal(twin.W.data, link.W.data) == (mode != "init")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_a_deep_copy_and_a_pickle_of_a_parameter_keep_its_class_and_its_attributes(copied):
    own = Weights(3, ["own"])
    twin = copied(own)
    assert (type(twin), twin.tag, twin.data.tolist()) == (Weights, ["own"], own.data.tolist())
    assert (twin.tag is own.tag) == (copied is copy.copy)


def test_a_copy_of_a_row_has_links_of_its_own():
    row = Sequential(L.Linear(2, 3), F.relu, L.Linear(3, 1))
    twin = row.copy("copy")
    assert twin[0] is not row[0] and twin[1] is F.relu
    assert twin[0] is next(iter(twin.children()))
    np.testing.assert_array_equal(twin(np.ones((1, 2), np.float32)).data, row(np.ones((1, 2), np.float32)).data)


ROW_EDITS = {
    "insert": lambda row, new: row.insert(1, new),
    "insert from the end": lambda row, new: row.insert(-1, new),
    "set": lambda row, new: row.__setitem__(-1, new),
    "set several": lambda row, new: row.__setitem__(slice(0, 2), [new]),
    "delete": lambda row, new: row.__delitem__(0),
    "pop": lambda row, new: row.pop(0),
    "remove": lambda row, new: row.remove(row[2]),
    "extend": lambda row, new: row.extend([new, new]),
    "add in place": lambda row, new: row.__iadd__([new]),
    "clear": lambda row, new: row.clear(),
}


@each("edit", ROW_EDITS.values(), ids=ROW_EDITS)
@each("kind", [Sequential, ChainList])
def test_a_row_is_changed_as_a_list_is(kind, edit):
    steps, new = [L.Linear(2, 3), L.Linear(3, 3), L.Linear(3, 1)], L.Linear(3, 3)
    row = kind(*steps)
    assert edit(row, new) in (edit(steps, new), row)
    assert [*row] == steps and len(row) == len(steps) and [*row.children()] == steps
    assert [path for path, _ in row.namedlinks(skipself=True)] == [f"/{i}" for i in {steps.index(s) for s in steps}]
    twin = row.copy("copy")
    assert len(twin) == len(steps) and not {*map(id, twin)} & {*map(id, steps)}


def test_a_row_that_refuses_a_step_stays_as_it_was():
    row = Sequential(L.Linear(2, 3), F.relu)
    before, names = [*row], [*row.namedparams()]
    for edit in (
        lambda: row.insert(0, 3),
        lambda: row.__setitem__(slice(0, 2), [F.tanh, "relu"]),
        lambda: row.append(3),
    ):
        with pytest.raises(TypeError, match="expected a Link or a function"):
            edit()
    with pytest.raises(IndexError):
        row.pop(2)
    assert [*row] == before and [*row.namedparams()] == names


def test_a_step_that_is_an_attribute_as_well_stays_one():
    row = Sequential(L.Linear(2, 3), F.relu, L.Linear(3, 1))
    row.head = row[2]
    row.insert(0, F.tanh)
    assert row.head is row[3] and [name for name, _ in row._own("link")] == ["head", "1", "3"]


def test_rows_are_added_and_share_their_steps():
    a, b = Sequential(L.Linear(2, 3), F.relu), Sequential(L.Linear(3, 1))
    both = a + b
    assert [*both] == [*a, *b] and [path for path, _ in both.namedparams()] == ["/0/W", "/0/b", "/2/W", "/2/b"]
    with pytest.raises(TypeError):
        operator.add(a, [F.relu])


@pytest.mark.source("CI-09")
def test_gradients_accumulate_until_they_are_cleared():
    f = L.Linear(3, 2)
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]], np.float32))
    for times in (1, 2):
        y = f(x)
        y.grad = np.ones((2, 2), np.float32)
        y.backward()
        np.testing.assert_array_equal(f.W.grad.data, times * np.float32([[5, 7, 9], [5, 7, 9]]))
        np.testing.assert_array_equal(f.b.grad.data, times * np.float32([2, 2]))
    f.cleargrads()
    assert f.W.grad is None and f.b.grad is None


def test_state_goes_into_another_link_and_gives_it_its_sizes():
    net, twin = Net(), Net()
    net(np.ones((1, 3), np.float32))
    assert list(net.state()) == ["l1/W", "l1/b", "l2/W", "l2/b"]
    assert twin.state()["l2/W"] is None
    twin.load_state(net.state())
    np.testing.assert_array_equal(twin.l2.W.data, net.l2.W.data)
    assert not np.shares_memory(twin.l2.W.data, net.l2.W.data)
    fresh = Net()
    fresh.copyparams(net)
    np.testing.assert_array_equal(fresh.l1.W.data, net.l1.W.data)
    with pytest.raises(ValueError, match="no size in the loaded state"):
        net.load_state(Net().state())


@pytest.mark.source("PT-19")
def test_extra_repr_stands_inside_repr():
    class Named(L.Linear):
        def extra_repr(self):
            return "my own words"

    assert repr(Named(3, 2)) == "Named(my own words)"
    assert repr(Chain(a=L.Linear(3, 2))) == "Chain(\n  (a): Linear(3, 2)\n)"
    assert repr(Sequential(L.Linear(3, 2), F.relu)) == "Sequential(\n  (0): Linear(3, 2)\n  (1): relu\n)"


@pytest.mark.source("PT-20")
def test_data_may_be_changed_in_place_without_being_recorded():
    link = L.Linear(3, 2)
    link.W.data[...] = np.random.default_rng(0).uniform(-0.1, 0.1, (2, 3))
    assert link.W.creator is None and abs(link.W.data).max() <= 0.1


@pytest.mark.source("DZ-33", "CO-23")
def test_parameters_are_told_by_their_type_and_made_from_initializers():
    assert isinstance(Parameter(1.0), Variable) and not isinstance(Variable(1.0), Parameter)
    zeros = Parameter(0, (2, 3))
    assert zeros.dtype == np.float32 and not zeros.data.any()
    assert Parameter(initializers.Normal(scale=1.0), (3,)).shape == (3,)
    given = np.ones((2, 2))
    assert Parameter(given).data is given


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Parameter(0, (2, -1)), ValueError, "no length may be negative"),
        (lambda: Parameter(0, 2.5), TypeError, "expected an integer"),
        (lambda: Parameter(np.ones(3), (2,)), ValueError, "the data has shape"),
        (lambda: Parameter(lambda shape: np.ones(shape, int), (2,)), ValueError, "expected floats of shape"),
        (lambda: Parameter(lambda shape: np.ones(5), (2,)), ValueError, "expected floats of shape"),
        (lambda: F.tanh(Parameter(initializers.Zero(), name="W")), RuntimeError, "'W' has no size yet"),
        (lambda: Parameter(initializers.Zero(), name="W") + 1, RuntimeError, "'W' has no size yet"),
        (lambda: Variable(1.0) * Parameter(initializers.Zero()), RuntimeError, "has no size yet"),
        (lambda: Parameter(0, (2,)).initialize((3,)), ValueError, r"got the shape \(3,\); it has \(2,\)"),
    ],
)
def test_bad_parameters_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_links_that_hold_each_other_have_a_repr():
    outer, inner, row = Chain(), Chain(), Sequential()
    outer.inner, inner.outer = inner, outer
    row.append(row)
    assert repr(outer) == "Chain(\n  (inner): Chain(\n    (outer): ...\n  )\n)"
    assert repr(row) == "Sequential(\n  (0): ...\n)"


def test_a_slice_of_a_sequential_is_one_that_shares_its_steps():
    model = Sequential(L.Linear(4, 3), F.relu, L.Linear(3, 2))
    first = model[:2]
    assert type(first) is Sequential and first[0] is model[0] and len(first) == 2
    np.testing.assert_array_equal(model[2:](first(np.eye(4))).data, model(np.eye(4)).data)


def test_parameters_of_a_link_without_super_are_asked_for_in_vain():
    class Forgetful(Link):
        def __init__(self):
            pass

    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) in Forgetful.__init__"):
        list(Forgetful().params())

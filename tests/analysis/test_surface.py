"""Loss surfaces: against closed forms, with threads and with a Dask cluster."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers.each import each
from helpers.reached import KINDS

import autolab
from autolab import functions as F
from autolab import links, optimizers
from autolab.analysis import descend, rolling, surface


def bowl(x, y):
    return x**2 + 10 * y**2


def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(8, 3)), rng.normal(size=(8, 2))


def model():
    with autolab.using_config("rng", np.random.default_rng(1)):
        net = autolab.links.Sequential(autolab.links.Linear(3, 4), F.tanh, autolab.links.Linear(4, 2))
    x, _ = data()
    net(x)
    return net


def loss_of(net):
    x, t = data()
    return F.mean((net(x) - t) ** 2)


def test_two_numbers_are_their_own_axes():
    found = surface(bowl, (1.0, -0.5), steps=5, span=2.0)
    assert found.names == ("x", "y") and found.chosen == "axes" and found.center == (1.0, -0.5)
    np.testing.assert_allclose(found.x, [-1, 0, 1, 2, 3])
    np.testing.assert_allclose(found.values, found.x**2 + 10 * found.y[:, None] ** 2)


def test_the_way_of_a_descent_is_that_of_the_closed_form():
    way = descend(bowl, (2.0, 1.0), rate=0.04, steps=10)
    found = surface(bowl, way[-1], path=way)
    k = np.arange(11)
    np.testing.assert_allclose(found.path, np.stack([2 * 0.92**k, 0.2**k], axis=1), rtol=1e-9)
    np.testing.assert_allclose(found.path_values, found.path[:, 0] ** 2 + 10 * found.path[:, 1] ** 2)
    assert found.captured == pytest.approx(1.0) and np.all(np.diff(found.path_values) < 0)
    inside = (found.x[0] < found.path[:, 0]) & (found.path[:, 0] < found.x[-1])
    assert inside.all() and found.y[0] < found.path[:, 1].min() and found.path[:, 1].max() < found.y[-1]


def test_a_path_in_many_dimensions_is_seen_along_its_two_widest():
    rng = np.random.default_rng(3)
    plane = np.linalg.qr(rng.normal(size=(50, 2)))[0].T
    places = rng.normal(size=(20, 2)) * [3, 1]
    end = rng.normal(size=50)
    found = surface(lambda w: F.sum((w - end) ** 2), end, path=list(end + places @ plane), steps=7)
    assert found.chosen == "path" and found.captured == pytest.approx(1.0)
    np.testing.assert_allclose((found.path**2).sum(axis=1), (places**2).sum(axis=1))
    np.testing.assert_allclose(found.values, found.x**2 + found.y[:, None] ** 2)  # the directions are unit vectors
    tilted = surface(lambda w: F.sum(w**2), end, path=list(end + rng.normal(size=(20, 50))), steps=2)
    assert 0 < tilted.captured < 0.5  # most of a way in all directions is not to be seen


def test_random_directions_have_the_rows_norms_and_follow_the_seed():
    rng = np.random.default_rng(0)
    w = rng.normal(size=(3, 4)) * [[1.0], [100.0], [0.0]]
    start = {"w": w, "b": np.array([3.0, 4.0])}
    seen = []

    def loss(p):
        seen.append({key: value.data.copy() for key, value in p.items()})
        return F.sum(p["w"]) + F.sum(p["b"])

    surface(loss, start, steps=3, span=1.0, seed=5)
    move = {key: seen[5][key] - start[key] for key in start}  # one unit along the first direction
    np.testing.assert_allclose(np.linalg.norm(move["w"], axis=1), np.linalg.norm(w, axis=1))
    assert np.linalg.norm(move["b"]) == pytest.approx(5.0)
    first, again, other = (surface(loss, start, steps=3, seed=seed).values for seed in (5, 5, 6))
    assert np.array_equal(first, again) and not np.allclose(first, other)


def test_a_link_is_looked_at_and_stays_as_it_is():
    net = model()
    before = [p.data.copy() for p in net.params()]
    found = surface(loss_of, net, steps=5)
    assert found.values[2, 2] == pytest.approx(float(loss_of(net).data)) and found.chosen == "random"
    for parameter, array in zip(net.params(), before, strict=True):
        np.testing.assert_array_equal(parameter.data, array)
        assert parameter.grad is None
    directions = [[np.ones_like(a) for a in before], [a * 2 for a in before]]
    moved = surface(loss_of, net, directions=directions, steps=2, span=0.5)
    for parameter, array in zip(net.params(), before, strict=True):
        parameter.data = array - 0.5 + array  # + 0.5 * (2 a)
    assert moved.values[1, 0] == pytest.approx(float(loss_of(net).data))


def same(executor):
    net = model()
    way = [[p.data * scale for p in net.params()] for scale in (0.2, 0.5, 0.7, 1.0)]
    for params, loss, path in ((net, loss_of, way), ((1.0, 2.0), bowl, ())):
        alone, spread = (
            surface(loss, params, path=path, steps=9),
            surface(loss, params, path=path, steps=9, executor=executor),
        )
        np.testing.assert_array_equal(spread.values, alone.values)
        np.testing.assert_array_equal(spread.path_values, alone.path_values)


def test_threads():
    with ThreadPoolExecutor(3) as executor:
        same(executor)


def test_the_work_is_done_by_the_workers():
    names = set()

    def loss(x, y):
        names.add(threading.current_thread().name)
        return x * y

    with ThreadPoolExecutor(2, thread_name_prefix="worker") as executor:
        surface(loss, (1.0, 2.0), steps=9, executor=executor)
    assert names and all(name.startswith("worker") for name in names)


def test_dask():
    distributed = pytest.importorskip("distributed", reason="the [cluster] extra is not installed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        same(client.get_executor())


def test_it_is_plain_data():
    found = surface(lambda x, y: F.log(x) * y, (0.5, 1.0), steps=3)
    text = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert None in text["values"] and text["names"] == ["x", "y"]


@each(
    ("call", "words"),
    [
        (lambda: surface(3, (1.0, 2.0)), "surface: loss is an int"),
        (lambda: surface(bowl, (1.0,)), "a plane needs at least two numbers; params holds 1"),
        (lambda: surface(bowl, (1.0, "a")), "expected real numbers"),
        (lambda: surface(bowl, (1.0, 2.0), steps=1), "steps is 1"),
        (lambda: surface(bowl, (1.0, 2.0), span=-1), "span is -1"),
        (lambda: surface(bowl, (1.0, 2.0), executor=2), "surface: executor is an int"),
        (lambda: surface(bowl, (1.0, 2.0), directions="up"), "directions is 'up'"),
        (lambda: surface(bowl, (1.0, 2.0), directions="path"), "the path has 0 points"),
        (lambda: surface(bowl, (1.0, 2.0), directions=((1.0, 1.0), (2.0, 2.0))), "span no plane"),
        (lambda: surface(bowl, (1.0, 2.0), path=[(1.0, 2.0, 3.0)]), "point 0 of the path has the shapes"),
        (lambda: surface(lambda x, y: F.stack(x, y), (1.0, 2.0)), "expected one number"),
        (lambda: surface(F.sum, np.ones(3), directions="axes"), "holds 3 numbers and not 2"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        call()
    assert len(str(caught.value)) <= 300


def test_in_plain_python_it_is_words():
    shown = surface(bowl, (1.0, -0.5), steps=3)
    assert repr(shown) == str(shown) == shown._repr_mimebundle_()["text/plain"]
    assert "Surface(" not in repr([shown]) and "array(" not in repr(shown)


# ---------------------------------------------------------------------------------------------------- the ball
@each("kind", KINDS)
def test_a_ball_rolls_on_the_surface_that_is_drawn_or_not_at_all(kind):
    factor, change, _ = KINDS[kind]()
    found = surface(lambda x, y: factor(x) ** 2 + y**2, (0.0, 0.0), steps=5)
    assert found.roll((0.9, 0.3), "SGD", 2, {"lr": 0.1}).values[0] == pytest.approx(2**2 * 0.9**2 + 0.3**2)
    change()
    with pytest.raises(ValueError, match=r"loss at \(1, 0.5\) is 25.25 now; expected 4.25"):
        found.roll((0.9, 0.3), "SGD", 2, {"lr": 0.1})
    assert surface(lambda x, y: factor(x) ** 2 + y**2, (0.0, 0.0), steps=5).roll((0.9, 0.3), "SGD", 2).values.size == 3


def test_a_ball_rolls_on_a_loss_with_random_numbers_and_on_one_in_single_precision():
    surface(lambda x, y: x**2 + y**2 * autolab.config.rng.uniform(), (0.0, 0.0), steps=3).roll((0.9, 0.3))
    x = np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32)
    net = links.Sequential(links.Linear(3, 4), F.tanh, links.Linear(4, 2))
    net(x)
    surface(lambda net: F.sum(net(x)) ** 2, net, steps=5, seed=1).roll((0.4, 0.3), "SGD", 2, {"lr": 1e-9})


@pytest.mark.parametrize("name", sorted(rolling.OPTIMIZERS))
def test_a_ball_rolls_as_the_optimizer_moves_parameters(name):
    class Point(autolab.Link):
        def __init__(self):
            super().__init__()
            self.x, self.y = autolab.Parameter(np.array(0.8)), autolab.Parameter(np.array(0.5))

        def forward(self):
            return bowl(self.x, self.y)

    point = Point()
    optimizer = rolling.OPTIMIZERS[name](lr=0.03).setup(point)
    places, values = [[0.8, 0.5]], []
    for _ in range(12):
        values.append(float(optimizer.update(point).array))
        places.append([float(point.x.array), float(point.y.array)])
    found = surface(bowl, (0.0, 0.0), steps=3).roll((0.8, 0.5), name, 12, {"lr": 0.03})
    np.testing.assert_allclose(found.places, places, rtol=1e-9)
    np.testing.assert_allclose(found.values[:-1], values, rtol=1e-9)
    np.testing.assert_allclose(found.gradients, found.places * [2, 20], rtol=1e-9)
    assert not found.ended


def test_a_ball_in_a_plane_of_a_net_follows_the_gradient_of_the_plane():
    net = model()
    before = [p.array.copy() for p in net.params()]
    found = surface(loss_of, net, steps=5)
    _, slope = found.plane.slope(0.1, -0.2)
    step = 1e-4
    for k, (dx, dy) in enumerate([(step, 0.0), (0.0, step)]):
        ends = [found.plane.slope(0.1 + sign * dx, -0.2 + sign * dy)[0] for sign in (1, -1)]
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(slope[k], rel=2e-2, abs=1e-3)
    way = found.roll((0.5, 0.5), "SGD", 5, {"lr": 0.1})
    np.testing.assert_allclose(way.places[1], [0.5, 0.5] - 0.1 * way.gradients[0])
    assert all([np.array_equal(p.array, old) for p, old in zip(net.params(), before, strict=True)])


def test_a_ball_ends_where_nothing_is_finite():
    found = surface(lambda x, y: F.log(x) + y * y, (1.0, 0.0), span=0.9, steps=3)
    way = found.roll((0.2, 0.0), "SGD", 20, {"lr": 0.1})
    assert way.ended and len(way.places) == 2 and np.isnan(way.values[-1])
    assert len(way.values) == len(way.gradients) == 2


def test_an_optimizer_given_as_an_object_stays_as_it_is():
    optimizer = optimizers.MomentumSGD(lr=0.02, momentum=0.5)
    way = surface(bowl, (0.0, 0.0), steps=3).roll((0.5, 0.5), optimizer, 3)
    assert way.settings == {"lr": 0.02, "momentum": 0.5} and optimizer.t == 0 and optimizer.target is None


def test_every_optimizer_can_roll():
    kinds = {k for k in vars(optimizers).values() if isinstance(k, type) and issubclass(k, optimizers.Optimizer)}
    assert set(rolling.OPTIMIZERS.values()) == kinds - {optimizers.Optimizer}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"start": (3.0, 0.0)}, "start holds 3; the surface goes from -1 to 1"),
        ({"start": (float("nan"), 0.0)}, "start holds nan"),
        ({"start": (0.0,)}, "start holds 1 numbers"),
        ({"start": "ab"}, "expected two numbers"),
        ({"optimizer": "Adma"}, "optimizer is 'Adma'; expected one of SGD"),
        ({"optimizer": 3}, "optimizer is an int"),
        ({"optimizer": optimizers.SGD(lr=lambda t: 0.1)}, "the learning rate is a function; expected a number"),
        ({"settings": {"beta": 1}}, "SGD has no setting 'beta'; expected one of lr"),
        ({"settings": {"lr": -1.0}}, "lr is -1"),
        ({"steps": 0}, "steps is 0; expected a whole number from 1 to 500"),
    ],
)
def test_what_cannot_roll_is_said(given, words):
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        surface(bowl, (0.0, 0.0), steps=3).roll(**{"start": (0.5, 0.5), **given})


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (np.ones(2), r"<lambda>\(\) does not take what params holds; it is called with the parameters as one argument"),
        ((1.0, 2.0), "it is called with 2 arguments"),
        (links.Linear(2, 1), "it is called with the link"),
    ],
)
def test_a_loss_that_takes_no_parameters_is_refused(params, words):
    with pytest.raises(TypeError, match=rf"surface: .*{words}"):
        surface(lambda: 1.0, params)


def test_a_slope_leaves_no_gradient_in_what_the_loss_uses_besides():
    other = autolab.Parameter(np.ones(2))
    other.grad = np.full(2, 7.0)
    found = surface(lambda x: (x * other * x).sum(), np.array([1.0, 2.0]))
    value, slope = found.plane.slope(0.5, 0.0)
    assert value > 0 and np.abs(slope).max() > 0
    assert other.grad.data.tolist() == [7.0, 7.0]


def test_the_slope_of_a_loss_that_depends_on_nothing_is_zero():
    found = surface(lambda x: autolab.Variable(3.0) * 1.0, np.array([1.0, 2.0]))
    value, slope = found.plane.slope(0.5, 0.0)
    assert value == 3.0 and np.abs(slope).max() == 0


@pytest.mark.parametrize(
    ("loss", "params", "names"),
    [
        (lambda w: F.sum(w * w), np.ones(2), ("w[0]", "w[1]")),
        (lambda w: F.sum(w * w), (np.ones((2, 1)),), ("w[0, 0]", "w[1, 0]")),
        (lambda w: F.sum(w * w), autolab.Variable(np.ones(2), name="theta"), ("theta[0]", "theta[1]")),
        (lambda a, b: F.sum(a) * b, (np.ones(1), 3.0), ("a[0]", "b")),
        (lambda p: F.sum(p["W"]), {"W": np.ones(2)}, ("p['W'][0]", "p['W'][1]")),
        (lambda *several: several[0] * several[1], (1.0, 2.0), ("p[0]", "p[1]")),
    ],
)
def test_the_axes_have_the_names_of_the_users_variables(loss, params, names):
    assert surface(loss, params, steps=3).names == names


def test_the_arguments_of_the_loss_may_be_given_by_name():
    def loss(a, b=2.0):
        return F.sum(a) * b

    for found in (surface(loss, a=3.0, b=4.0), surface(loss, b=4.0, a=3.0), surface(lambda a, b=4.0: a * b, a=3.0)):
        assert found.names == ("a", "b") and found.center == (3.0, 4.0)
    for call, words in {
        lambda: surface(loss): "got no params; expected surface(loss, params) or",
        lambda: surface(loss, (1.0, 2.0), a=3.0): "got both params and a; expected",
        lambda: surface(loss, c=3.0): "surface: loss(a, b=2.0) does not take these inputs: missing a required argument",
    }.items():
        with pytest.raises(TypeError, match=re.escape(words)):
            call()

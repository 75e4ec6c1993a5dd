"""Monitor: what it measures, how little of it, what it keeps, and that interrupts leave it whole."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.interrupts import every_point

from autolab import Sequential, Variable, optimizers, training, using_config
from autolab import functions as F
from autolab import links as L
from autolab.data import SerialIterator, get_iris
from autolab.training import extensions
from autolab.training import monitor as monitor_module
from autolab.training.model_state import gradient_norm, layers, moved, silent
from autolab.training.monitor import CAPACITY, Curve, is_sampled
from autolab.views import mimebundle
from autolab.views.draw.messages import say
from autolab.views.monitor.static import charts

X, T = np.random.default_rng(1).normal(size=(12, 4)).astype(np.float32), np.arange(12) % 3


@pytest.fixture(autouse=True)
def seeded():
    with using_config("rng", np.random.default_rng(0)):
        yield


def make(sizes=(6, 3)):
    model = L.Classifier(L.MLP(sizes))
    return model, optimizers.SGD(0.1).setup(model)


def eager(model, **options):
    """A monitor that keeps every update, and measures as any other does: each of the first."""
    monitor = training.Monitor(model, share=1, **options)
    monitor._keeping.spend = lambda *args, **options: None
    return monitor


@pytest.fixture
def every_update(monkeypatch):
    monkeypatch.setattr(monitor_module, "INTERVAL", 0.0)


def test_a_curve_is_the_means_of_what_it_was_told():
    numbers = np.random.default_rng(0).normal(size=(1003, 2))
    curve = Curve()
    for x, y in numbers:
        curve = curve.then(x, y)
        assert len(curve.points) <= CAPACITY
    whole = len(numbers) // curve.each * curve.each
    expected = numbers[:whole].reshape(-1, curve.each, 2).mean(axis=1)
    np.testing.assert_allclose(curve.points[: len(expected)], expected)
    np.testing.assert_allclose(curve.points[len(expected) :], [numbers[whole:].mean(axis=0)])
    assert curve.last == numbers[-1, 1]


def test_what_is_measured_agrees_with_numpy(every_update):
    model, optimizer = make()
    monitor = eager(model)
    for _ in range(3):
        before = [p.data.copy() for p in model.params()] if model.predictor.l0.W.is_initialized else None
        monitor.update(loss=optimizer.update(model, X, T))
    after, grads = [p.data for p in model.params()], [p.grad.data for p in model.params()]
    norm = lambda arrays: np.sqrt(sum((a.astype(float) ** 2).sum() for a in arrays))  # noqa: E731
    for i, name in enumerate(("l0", "l1")):
        mine = slice(2 * i, 2 * i + 2)
        assert monitor.measured["gradient"][name].last == pytest.approx(norm(grads[mine]), rel=1e-5)
        ratio = norm([a - b for a, b in zip(after[mine], before[mine], strict=True)]) / norm(before[mine])
        assert monitor.measured["moved"][name].last == pytest.approx(ratio, rel=1e-4)
    assert len(monitor.measured["moved"]["l0"].points) == 2, "before the first update nothing is known"
    state = monitor.states[-1]
    assert state.iteration == 3 and list(state.values) == [path for path, _ in model.namedparams()]
    for (path, p), grad in zip(model.namedparams(), grads, strict=True):
        np.testing.assert_array_equal(state.values[path].values, p.data)
        np.testing.assert_array_equal(state.gradients[path].values, grad)


def test_states_are_copies(every_update):
    model, optimizer = make()
    monitor = eager(model)
    monitor.update(loss=optimizer.update(model, X, T))
    before = monitor.states[-1].values["/predictor/l0/W"].values.copy()
    model.predictor.l0.W.data[...] = 7
    np.testing.assert_array_equal(monitor.states[-1].values["/predictor/l0/W"].values, before)


def test_units_whose_gradient_is_zero_for_the_whole_batch_are_silent():
    net = Sequential(L.Linear(4, 5), F.relu, L.Linear(5, 3))
    net[0].b.data = np.array([-1e6, 0, 0, -1e6, 0], np.float32)  # two units are below 0 for every example
    F.sum(net(X) ** 2).backward()
    first, last = layers(net)
    assert silent(first) == (2, 5) and silent(last) == (0, 3)
    net[0].W.grad.data[0, 1] = np.nan
    assert silent(first) == (1, 5), "NaN is not 0"
    net.cleargrads()
    assert silent(first) is None and gradient_norm(first) is None
    assert silent(layers(L.Embedding(9, 2))[0]) is None, "rows of a table are no units"


def test_norms_do_not_overflow_and_tell_of_nan():
    link = L.Linear(2, 1, nobias=True)
    layer = layers(link)[0]
    link.W.grad = Variable(np.full((1, 2), 3e30, np.float32))
    assert gradient_norm(layer) == pytest.approx(3e30 * 2**0.5)
    link.W.grad = Variable(np.array([[np.nan, 1]], np.float32))
    assert np.isnan(gradient_norm(layer))
    assert moved(layer, {"/W": np.zeros((1, 2), np.float32)}) is None and moved(layer, {}) is None


@pytest.mark.parametrize("clears", [False, True])
def test_updates_in_place_are_noticed(every_update, clears):
    model, _ = make()
    monitor = eager(model)
    for _ in range(4):
        model.cleargrads()
        loss = model(X, T)
        loss.backward()
        before = model.predictor.l1.W.data.copy()
        for p in model.params():
            array = p.data
            array -= 0.1 * p.grad.data
        if clears:
            model.cleargrads()
        monitor.update(loss=loss)
    points = monitor.measured["moved"]["l1"].points
    assert len(points) == 2, "at first it could not know"
    moved_by = [p.data - b for p, b in ((model.predictor.l1.W, before),)]
    assert (
        points[-1][1] == pytest.approx(np.linalg.norm(moved_by) / np.linalg.norm(before), rel=0.2) and points[-1][1] > 0
    )


@pytest.mark.parametrize(
    "size", [1, 5]
)  # one that NumPy would spread over the rows of before, and one that it would not
def test_a_layer_that_is_another_one_now_did_not_move(size):
    model = L.MLP((3, 6))
    optimizer, monitor = optimizers.SGD(0.01).setup(model), training.Monitor(model)
    for update in range(1, 7):
        if update == 4:
            model.l1 = L.Linear(3, size)
        monitor.update(optimizer.update(lambda: F.sum(model(X) ** 2)))
    first, second = [monitor.measured["moved"][name] for name in ("l0", "l1")]
    assert [x for x, _ in second.points if x > 1] == [2, 3, 4, 5, 6]
    assert [x for x, y in second.points if np.isnan(y)] == [4] and not np.isnan([y for _, y in first.points]).any()
    assert [x for x, _ in monitor.measured["gradient"]["l1"].points] == [1, 2, 3, 4, 5, 6]


def test_old_states_thin_out_and_reach_back_to_the_beginning(every_update):
    model, optimizer = make()
    monitor = eager(model, states=10)
    for _ in range(200):
        monitor.update(loss=optimizer.update(model, X, T))
    found = [state.iteration for state in monitor.states]
    assert len(found) <= 10 and found == sorted(set(found)) and found[-1] == 200 and found[0] < 100


def test_states_of_a_large_model_are_few(every_update, monkeypatch):
    model, optimizer = make()
    monitor = eager(model)
    monkeypatch.setattr(monitor_module, "MOST_BYTES", 3000)
    for _ in range(20):
        monitor.update(loss=optimizer.update(model, X, T))
    assert 2 <= len(monitor.states) < 12 and sum(state.nbytes for state in monitor.states) <= 3000


class Clock:
    """A time that passes only where a test says so."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        for name in ("perf_counter", "thread_time"):
            monkeypatch.setattr(monitor_module, name, lambda: self.now)

    def pass_(self, seconds, found=None):
        self.now += seconds
        return found


def watched(monkeypatch, update, measuring, count=400):
    """The monitor of a training whose updates take so long, and measuring too."""
    with using_config("rng", np.random.default_rng(0)):
        model, optimizer = make()
        clock, monitor = Clock(monkeypatch), training.Monitor(model)
        measure = monitor._measurements
        monitor._measurements = lambda: clock.pass_(measuring, measure())
        for _ in range(count):
            clock.pass_(update)
            monitor.update(loss=optimizer.update(model, X, T))
    return monitor


def test_the_same_training_gives_the_same_curves_however_fast_it_is(monkeypatch):
    found = [watched(monkeypatch, *times) for times in ((1e-4, 1e-3), (0.3, 1e-5))]
    assert found[0].measured == found[1].measured and found[0].curves == found[1].curves
    assert len(found[0].states) != len(found[1].states), "states are kept when time allows"
    expected = [n for n in range(1, 401) if is_sampled(n)]
    for name in ("l0", "l1"):
        assert [x for x, _ in found[0].measured["gradient"][name].points] == expected
        assert [x for x, _ in found[0].measured["moved"][name].points] == expected[1:]


def test_where_a_layer_had_no_gradient_its_curve_has_a_gap():
    model, optimizer = make()
    monitor = eager(model)
    for step in range(6):
        optimizer.update(model, X, T)
        if step == 3:
            for p in model.predictor.l0.params():
                p.grad = None
        monitor.update()
    values = [y for _, y in monitor.measured["gradient"]["l0"].points]
    assert [bool(np.isnan(y)) for y in values] == [False, False, False, True, False, False]
    assert not np.isnan([y for _, y in monitor.measured["gradient"]["l1"].points]).any()
    (chart,) = [one for one in charts(monitor) if one["title"] == say("monitor_gradient")]
    assert chart["lines"][0]["y"][3] is None and chart["lines"][0]["y"][4] is not None


@pytest.mark.parametrize(
    ("update", "noting", "measuring", "painting"),
    [(1e-3, 3e-6, 2e-4, 3e-3), (2e-2, 3e-6, 2e-3, 0.2), (1e-3, 2e-5, 1e-4, 5e-2)],
)
def test_whatever_its_pieces_cost_it_keeps_to_its_share(update, noting, measuring, painting, monkeypatch):
    clock = Clock(monkeypatch)
    pass_ = clock.pass_
    model, optimizer = make()
    optimizer.update(model, X, T)
    monitor, painted = training.Monitor(model, share=0.03), []
    measure, prepare = monitor._measurements, monitor._parameters
    monitor._measurements = lambda: pass_(measuring, measure())
    monitor._parameters = lambda: pass_(measuring / 4, prepare())
    monitor._shown = lambda: painted.append(pass_(painting * (1 + 5 * (clock.now > 30)), clock.now))
    for i in range(1, int(60 / update)):
        clock.now += update
        pass_(noting, monitor._take(i, {"loss": 1.0}, clock.now - noting))
    assert monitor.watched > 50
    last = 6 * painting  # what is paid for only by the training that follows
    assert (monitor.spent - last) / monitor.watched <= 0.03
    assert len(painted) >= 3 and min(np.diff(painted)) >= 0.1 - update


def test_where_noting_takes_the_whole_share_it_still_keeps_states():
    monitor = training.Monitor(share=0.03)
    monitor.watched, monitor.worked, monitor._telling = 10.0, 10.0, 1.0
    monitor._divide()
    assert monitor._keeping.share == pytest.approx(0.25 * 0.03)


def test_as_an_extension_it_hears_every_observation(tmp_path):
    trainer, monitor = trainer_with_monitor(tmp_path)
    trainer.run()
    log = trainer.get_extension("LogReport").log
    assert monitor.iteration == trainer.updater.iteration == 12
    assert sorted(monitor.curves) == [
        "main/accuracy",
        "main/loss",
        "validation/main/accuracy",
        "validation/main/loss",
    ]
    points = monitor.curves["validation/main/loss"].points
    assert points == tuple((line["iteration"], line["validation/main/loss"]) for line in log)
    assert monitor.states[-1].iteration == 12, "the last state is kept"


def trainer_with_monitor(folder, epochs=2):
    train, test = get_iris()
    model = L.Classifier(L.MLP((5, 3)))
    updater = training.StandardUpdater(SerialIterator(train, 20), optimizers.Adam(0.01).setup(model))
    trainer = training.Trainer(updater, (epochs, "epoch"), out=folder)
    trainer.extend(extensions.Evaluator(SerialIterator(test, 30, repeat=False, shuffle=False), model))
    trainer.extend(extensions.LogReport())
    monitor = extensions.LiveMonitor()
    trainer.extend(monitor)
    return trainer, monitor


def test_in_plain_python_a_run_writes_a_page(tmp_path, capsys):
    trainer, monitor = trainer_with_monitor(tmp_path)
    trainer.run()
    assert str(tmp_path / "monitor.html") in capsys.readouterr().out
    page = (tmp_path / "monitor.html").read_text("utf-8")
    assert "update 12" in page and page.count("<img") == 2 and "<script" not in page
    assert f"main/loss: {float(trainer.observation['main/loss']):.3f}" in str(monitor)


def test_it_goes_on_after_a_snapshot(tmp_path):
    trainer, monitor = trainer_with_monitor(tmp_path)
    trainer.extend(extensions.snapshot("last"))
    trainer.run()
    twin, resumed = trainer_with_monitor(tmp_path, epochs=3)
    twin.extend(extensions.snapshot("last"))
    extensions.resume(twin, tmp_path / "last")
    assert resumed.curves == monitor.curves and resumed.iteration == 12
    twin.run()
    assert resumed.iteration == 18 and resumed.curves["main/loss"].points[:12] == monitor.curves["main/loss"].points


@pytest.mark.goal(id="R7")
@pytest.mark.parametrize("step", [97, pytest.param(3, marks=pytest.mark.full)])
def test_an_update_interrupted_anywhere_is_noted_once_or_not_at_all(step, every_update):
    model, optimizer = make()
    optimizer.update(model, X, T)
    made = {}

    def prepare():
        made["monitor"] = monitor = eager(model)
        monitor.update(loss=1.0)
        return lambda: (monitor.update(loss=2.0), monitor.curves)

    points = 0
    for at in every_point(prepare, step):
        monitor = made["monitor"]
        count = len(monitor.curves["loss"].points)
        assert count == monitor.iteration in (1, 2), f"at opcode {at}"
        assert len(monitor.measured["gradient"]["l0"].points) in (1, count), f"at opcode {at}"
        monitor.update(loss=3.0)
        assert monitor.curves["loss"].last == 3.0 and monitor.iteration == count + 1
        assert [s.iteration for s in monitor.states] == sorted({s.iteration for s in monitor.states})
        points += 1
    assert points > 5


def test_stop_ends_a_loop_and_a_run(tmp_path):
    monitor = extensions.LiveMonitor()
    assert monitor.update(loss=1.0) is True
    monitor.stop()
    assert monitor.update(loss=1.0) is False
    trainer, monitor = trainer_with_monitor(tmp_path, epochs=100)
    trainer.extend(lambda t: t.updater.iteration == 7 and monitor.stop(), name="stop")
    trainer.run()
    assert trainer.updater.iteration == 7 == monitor.iteration


def test_the_static_form_tells_the_last_numbers(every_update):
    model, optimizer = make()
    monitor = eager(model)
    assert "Nothing yet" in mimebundle(monitor)["text/plain"]
    for _ in range(3):
        monitor.update(loss=optimizer.update(model, X, T))
    text = mimebundle(monitor)["text/plain"]
    assert f"loss: {monitor.curves['loss'].last:.3f}" in text and "norm of the gradient: l0:" in text
    assert len(mimebundle(monitor)["text/html"]) < 200_000


@pytest.mark.parametrize(
    ("make_it", "error", "message"),
    [
        (lambda: training.Monitor(3), TypeError, "model is an int; expected a Link"),
        (lambda: training.Monitor(share=0), ValueError, "share is 0"),
        (lambda: training.Monitor(states=1), ValueError, "states is 1"),
        (lambda: training.Monitor().update(loss="low"), TypeError, "loss is a str; expected a number"),
        (lambda: training.Monitor().update(loss=np.ones(2)), TypeError, "loss is an ndarray; expected a number"),
    ],
)
def test_bad_input_is_named(make_it, error, message):
    with pytest.raises(error, match=message):
        make_it()


@pytest.mark.parametrize(("dtype", "size"), [(np.float16, 1e-5), (np.float16, 60_000), (np.float32, 1e-30)])
def test_norms_of_gradients_whose_squares_are_no_numbers(dtype: type, size: float) -> None:
    link = L.Linear(2, 3, initialW=np.zeros((3, 2), dtype))
    link.W.grad = np.full((3, 2), size, dtype)
    (layer,) = layers(link)
    assert gradient_norm(layer) == pytest.approx(float(dtype(size)) * 6**0.5, rel=1e-6, abs=0)

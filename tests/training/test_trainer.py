"""Training: the loop, its extensions, and runs that stop and go on as if they had not."""

from __future__ import annotations

import io
import json
import signal
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.interrupts import every_point, real_interrupt

from autolab import Sequential, config, optimizers, training, using_config
from autolab import functions as F
from autolab import links as L
from autolab.data import SerialIterator, TupleDataset, get_iris
from autolab.training import extensions

# Between open() and its `with`, an interrupt leaves a file that is closed with its object, as Python warns.
INTERRUPTED = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")


@pytest.fixture(autouse=True)
def seeded():
    with using_config("rng", np.random.default_rng(0)):
        yield


def make(out, epochs=3, batch=20):
    """A trainer whose model has everything that could go wrong: lazy sizes, dropout, running means, momentum, and
    generators of its own."""
    config.rng = np.random.default_rng(5)
    train, test = get_iris()
    net = Sequential(L.Linear(None, 8), L.BatchNormalization(8), F.tanh, L.Dropout(0.2), L.Linear(8, 3))
    net.append(L.Dropout(0.1, rng=np.random.default_rng(7)))
    net[0].rng = 7  # somebody's own, which is no generator
    model = L.Classifier(net)
    optimizer = optimizers.Adam(lr=0.01).setup(model)
    optimizer.add_hook(optimizers.GradientNoise(0.01, np.random.default_rng(8)))
    iterator = SerialIterator(train, batch, rng=np.random.default_rng(3))
    trainer = training.Trainer(training.StandardUpdater(iterator, optimizer), (epochs, "epoch"), out=out)
    trainer.extend(extensions.Evaluator(SerialIterator(test, 30, repeat=False, shuffle=False), model))
    trainer.extend(extensions.LogReport())
    return trainer


def fingerprint(trainer):
    return {k: np.asarray(v).tobytes() for k, v in trainer.updater.state().items()}


@pytest.mark.source("CI-16", "CI-25", "CI-26", "CI-27")
def test_a_run_trains_evaluates_and_logs(tmp_path):
    trainer = make(tmp_path / "result", epochs=20)
    out = io.StringIO()
    trainer.extend(extensions.PrintReport(["epoch", "main/loss", "validation/main/accuracy"], out=out))
    trainer.extend(extensions.ProgressBar(file=io.StringIO()))
    trainer.run()
    log = json.loads((tmp_path / "result" / "log").read_text())
    assert len(log) == 20 and [line["epoch"] for line in log] == list(range(1, 21))
    assert log[-1]["main/loss"] < 0.5 * log[0]["main/loss"]
    assert log[-1]["validation/main/accuracy"] > 0.8
    lines = out.getvalue().splitlines()
    assert lines[0].split() == ["epoch", "main/loss", "validation/main/accuracy"] and len(lines) == 21
    assert lines[3].split()[1] == f"{log[2]['main/loss']:.6g}"


@pytest.mark.parametrize("interval", [1, 5, 100])
def test_the_bar_ends_where_the_run_does(tmp_path, interval):
    trainer = make(tmp_path, epochs=2)
    out = io.StringIO()
    trainer.extend(extensions.ProgressBar(interval, file=out))
    trainer.run()
    last = out.getvalue().rstrip().split("\r")[-1]
    done = trainer.updater.iteration
    assert f" {done}/{done} " in last and last.startswith("100%")
    assert f"main/loss {trainer.observation['main/loss']:.4g}" in last


def test_a_wide_table_breaks_its_names_and_stays_narrow(tmp_path):
    trainer = make(tmp_path, epochs=2)
    wide = ["epoch", "iteration", "main/loss", "validation/main/loss", "validation/main/accuracy", "elapsed_time"]
    out = io.StringIO()
    trainer.extend(extensions.PrintReport(wide, out=out))
    trainer.run()
    *header, first, second = out.getvalue().splitlines()
    assert max(map(len, [*header, first, second])) <= 72
    starts = [first.index(word) for word in first.split()]
    columns = [slice(a, b) for a, b in zip(starts, [*starts[1:], None], strict=True)]
    assert ["".join(line[column].strip() for line in header) for column in columns] == wide
    assert second.split()[0] == "2"


@pytest.mark.source("CI-26")
def test_evaluation_is_in_test_mode_and_leaves_training_alone(tmp_path):
    seen = []
    trainer = make(tmp_path)
    model = trainer.updater.target
    test = SerialIterator(get_iris()[1], 10, repeat=False, shuffle=False)
    evaluator = extensions.Evaluator(test, model, eval_func=lambda x, t: seen.append(config.train) or model(x, t))
    trainer.updater.update()
    before = fingerprint(trainer)
    means = evaluator.evaluate()
    assert seen == [False] * 3 and config.train and fingerprint(trainer) == before
    with using_config("train", False):
        x, t = get_iris()[1][:]
        assert means["main/accuracy"] == pytest.approx(float(F.accuracy(model.predictor(x), t).data))
    with pytest.raises(ValueError, match="repeat=False"):
        extensions.Evaluator(SerialIterator(get_iris()[1], 10), model)


def test_snapshots_bring_a_run_back_bit_for_bit(tmp_path):
    straight = make(tmp_path / "a", epochs=6)
    straight.run()
    first = make(tmp_path / "b", epochs=3)
    first.extend(extensions.snapshot("last", trigger=(1, "epoch")))
    first.run()
    config.rng = np.random.default_rng(99)  # another process, another state
    second = make(tmp_path / "b", epochs=6)
    second.extend(extensions.snapshot("last", trigger=(1, "epoch")))
    extensions.resume(second, tmp_path / "b" / "last")
    assert second.updater.iteration == 18
    second.run()
    assert fingerprint(second) == fingerprint(straight)
    untimed = [
        [{k: v for k, v in line.items() if k != "elapsed_time"} for line in t.get_extension("LogReport").log]
        for t in (straight, second)
    ]
    assert untimed[0] == untimed[1] and len(untimed[0]) == 6


@pytest.mark.goal(id="R7")
@INTERRUPTED
@pytest.mark.parametrize("before", [1, 0], ids=["sizes are known", "the first"])
@pytest.mark.parametrize("step", [499, pytest.param(3, marks=pytest.mark.full)])
def test_a_step_interrupted_anywhere_is_made_again_as_if_nothing_had_happened(step, before, tmp_path):
    made = {}

    def prepare():
        trainer = made["trainer"] = make(tmp_path, epochs=1, batch=60)
        for _ in range(before):
            trainer.updater.update()
        trainer.stop_trigger = training.triggers._Until(2, "iteration")
        return trainer.run

    prepare()()
    expected = fingerprint(made["trainer"])
    points = 0
    for at in every_point(prepare, step):
        made["trainer"].run()
        assert fingerprint(made["trainer"]) == expected, f"torn at opcode {at}"
        assert len(made["trainer"].get_extension("LogReport").log) == 1, f"log at opcode {at}"
        points += 1
    assert points > 10


@pytest.mark.parametrize(("period", "expected"), [(1, [1, 2, 3, 4, 5, 6, 7]), (3, [3, 6])])
def test_a_trigger_of_iterations_counts_them(period, expected):
    updater = SimpleNamespace(iteration=0)
    trigger, at = training.IntervalTrigger(period, "iteration"), []
    for updater.iteration in range(8):
        if trigger(SimpleNamespace(updater=updater)):
            at.append(updater.iteration)
    assert at == expected


def test_a_real_interrupt_ends_the_run_and_the_next_goes_on(tmp_path):
    straight = make(tmp_path / "a", epochs=4)
    straight.run()
    trainer = make(tmp_path / "b", epochs=4)
    trainer.extend(lambda t: t.updater.iteration == 5 and signal.raise_signal(signal.SIGINT), name="ctrl-c")
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert trainer.updater.iteration == 5
    trainer._entries.pop("ctrl-c")
    trainer.run()
    assert fingerprint(trainer) == fingerprint(straight)


# A signal between the opening of a folder and the with block that closes it leaves it to the collector.
@INTERRUPTED
@pytest.mark.filterwarnings("ignore:.*ScandirIterator:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("times", "epochs"), [(10, 15), pytest.param(200, 300, marks=pytest.mark.full)])
def test_after_real_interrupts_training_goes_on_as_if_nothing_had_happened(times, epochs, tmp_path):
    straight = make(tmp_path / "a", epochs=epochs)
    straight.run()
    trainer = make(tmp_path / "b", epochs=epochs)
    rng = np.random.default_rng(0)
    arrived = sum([real_interrupt(trainer.run, rng.uniform(0, 0.008)) is not None for _ in range(times)])
    trainer.run()
    assert arrived >= 0.9 * times, "the run was over too early"
    assert fingerprint(trainer) == fingerprint(straight)
    assert len(trainer.get_extension("LogReport").log) == epochs


def test_stop_ends_after_the_update_under_way(tmp_path):
    trainer = make(tmp_path, epochs=100)
    trainer.extend(lambda t: t.updater.iteration == 7 and t.stop(), name="stop")
    trainer.run()
    assert trainer.updater.iteration == 7


def test_an_error_in_the_model_leaves_everything_as_it_was(tmp_path):
    trainer = make(tmp_path)
    trainer.updater.update()
    before, model = fingerprint(trainer), trainer.updater.loss_func

    def fails(x, t):
        norm = model.predictor[1]
        norm.avg_mean += 1  # in place
        return model(x, t) + 1 / 0

    trainer.updater.loss_func = fails
    with pytest.raises(ZeroDivisionError):
        trainer.run()
    assert fingerprint(trainer) == before


@pytest.mark.parametrize("given", [lambda m: m.parameters(), lambda m: [{"params": m.parameters(), "lr": 0.01}]])
def test_a_model_of_which_the_optimizer_has_the_parameters_is_saved_with_its_buffers(given, tmp_path):
    def trained(epochs, start=None):
        config.rng = np.random.default_rng(5)
        model = L.Classifier(Sequential(L.Linear(4, 8), L.BatchNormalization(8), F.relu, L.Linear(8, 3)))
        updater = training.StandardUpdater(
            SerialIterator(get_iris()[0], 20), optimizers.Adam(given(model)), loss_func=model
        )
        trainer = training.Trainer(updater, (epochs, "epoch"), out=tmp_path)
        trainer.extend(extensions.snapshot("last"))
        if start is not None:
            extensions.resume(trainer, start)
        trainer.run()
        assert "main/loss" in trainer.observation
        return {name: np.asarray(value).tobytes() for name, value in model.state().items()}

    straight = trained(4)
    trained(2)
    assert trained(4, tmp_path / "last") == straight


def test_parameters_that_were_left_out_are_not_found_by_where_the_others_come_from():
    model = L.MLP((3, 2))
    parameters = model.parameters()
    next(parameters)
    assert len(list(optimizers.SGD(parameters).target.params())) == len(list(model.params())) - 1


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda t: t.extend(3), TypeError, "got an int; expected a function of the trainer"),
        (lambda t: t.extend(extensions.LogReport()), ValueError, "already an extension 'LogReport'"),
        (lambda t: t.extend(print, trigger="epoch"), TypeError, r"such as \(1, 'epoch'\)"),
        (lambda t: t.extend(print, trigger=(1, "day")), ValueError, "unit is 'day'"),
        (lambda t: t.extend(print, trigger=(0, "epoch")), ValueError, "period is 0"),
        (lambda t: t.get_extension("Plot"), KeyError, "no extension is called 'Plot'"),
        (lambda t: t.load_state({}), ValueError, "'elapsed_time' is missing; nothing was loaded"),
        (lambda t: training.StandardUpdater(None, 3), TypeError, "optimizer is an int"),
        (lambda t: training.StandardUpdater(None, optimizers.SGD()), RuntimeError, "setup"),
    ],
)
def test_bad_input_is_named(act, error, message, tmp_path):
    trainer = make(tmp_path)
    with pytest.raises(error, match=message):
        act(trainer)


def test_a_state_that_does_not_fit_changes_nothing(tmp_path):
    trainer = make(tmp_path)
    trainer.updater.update()
    before, state = fingerprint(trainer), trainer.state()
    trainer.updater.update()
    later = fingerprint(trainer)
    for broken in ("updater/optimizer/t", "updater/iterator/order", "updater/rng", "updater/model/predictor/0/W"):
        with pytest.raises(ValueError, match=r"nothing was loaded|no state of"):
            trainer.load_state(
                {k: v for k, v in state.items() if k != broken} | ({broken: 5} if "rng" in broken else {})
            )
        assert fingerprint(trainer) == later
    trainer.load_state(state)
    assert fingerprint(trainer) == before


def test_priorities_decide_the_order(tmp_path):
    order = []
    trainer = make(tmp_path, epochs=1, batch=120)
    for name, priority in (("late", -5), ("early", 500), ("middle", 150)):
        trainer.extend(lambda t, name=name: order.append(name), name=name, priority=priority)
    trainer.run()
    assert order == ["early", "middle", "late"]


def test_a_value_that_some_batches_report_is_averaged_over_these():
    model = L.Classifier(L.MLP((3,)))
    test = SerialIterator(TupleDataset(np.arange(5.0)), 2, repeat=False, shuffle=False)
    evaluator = extensions.Evaluator(
        test, model, lambda x: training.report({"all": x.mean(), **({"few": 8.0} if x[0] else {})})
    )
    assert evaluator.evaluate() == {"all": 2.0, "few": 8.0}


def test_tenths_of_an_epoch_are_all_counted(tmp_path):
    trainer = make(tmp_path, epochs=2, batch=12)
    seen = []
    trainer.extend(lambda t: seen.append(t.updater.iteration), name="tenth", trigger=(0.1, "epoch"))
    trainer.run()
    assert seen == [*range(1, 21)]


def test_the_loop_by_hand_learns_the_same(tmp_path):
    trainer = make(tmp_path, epochs=1)
    trainer.run()
    twin = make(tmp_path, epochs=1)
    updater = twin.updater
    while updater.epoch < 1:
        updater.optimizer.update(updater.target, *next(updater.iterator))
    assert {k: v for k, v in fingerprint(twin).items() if "detail" not in k} == {
        k: v for k, v in fingerprint(trainer).items() if "detail" not in k
    }


def test_unlabelled_data_have_one_part():
    it = SerialIterator(TupleDataset(np.arange(4.0)), 2, shuffle=False)
    assert len(next(it)) == 1


def test_a_wrong_keyword_names_the_others():
    with pytest.raises(TypeError, match=r'^Trainer: got a keyword .epochs.; expected updater, .*; instead: .*"epoch"'):
        training.Trainer(None, epochs=3)
    with pytest.raises(TypeError, match=r"^EarlyStopping: got a keyword .restore_best_weights.*best = model.copy"):
        training.EarlyStopping(restore_best_weights=True)


def test_the_end_of_a_run_may_be_set_later(tmp_path):
    trainer = make(tmp_path)
    trainer.stop_trigger = (4, "iteration")
    trainer.run()
    assert trainer.updater.iteration == 4

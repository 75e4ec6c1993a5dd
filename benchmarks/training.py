"""Whole training steps beside PyTorch, and what LiveMonitor costs: `python benchmarks/training.py [--save NAME]`.

All on one core and one thread. Both libraries see the same data in the same order, from memory. Rounds alternate, and
medians of processor time are compared: other programs on the machine hurt both alike.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

BENCHMARKS = Path(__file__).resolve().parent
sys.path.insert(0, str(BENCHMARKS))

from speed.environment import commit, machine, prepare, stay_on_one_core, variables  # noqa: E402

GOALS = {"mlp epoch": 0.8, "convnet step": 0.35, "LiveMonitor": 0.03}
"""Share of PyTorch's time. The convnet's goal is a speed of at least 0.35 of PyTorch's, LiveMonitor's a share of
training's time."""


def race() -> dict[str, dict[str, float]]:
    """Processor seconds of each library in each workload; runs in the environment of the benchmarks."""
    mlp = {"autolab": autolab_mlp(), "torch": torch_mlp()}
    convnet = {"autolab": autolab_convnet(), "torch": torch_convnet()}
    return {"mlp epoch": _medians(mlp, rounds=5, warm=1), "convnet step": _medians(convnet, rounds=9, warm=2)}


def _medians(runs: dict[str, Callable[[], None]], rounds: int, warm: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in runs}
    for i in range(rounds + warm):
        for name, run in runs.items():
            start = time.process_time()
            run()
            if i >= warm:
                times[name].append(time.process_time() - start)
    return {name: median(seconds) for name, seconds in times.items()}


def _images(count: int, *shape: int):  # type: ignore[no-untyped-def]  # NumPy's types are not imported yet
    import numpy as np

    rng = np.random.default_rng(0)
    return rng.random((count, *shape), np.float32), rng.integers(0, 10, count)


def autolab_mlp() -> Callable[[], None]:
    """784-100-100-10 on 60,000 examples at batch 100, with SGD: one epoch."""
    from autolab import links, optimizers
    from autolab.data import SerialIterator, TupleDataset

    data = TupleDataset(*_images(60_000, 784))
    model = links.Classifier(links.MLP((100, 100, 10)), accfun=None)
    optimizer = optimizers.SGD(0.01).setup(model)

    def epoch() -> None:
        for x, t in SerialIterator(data, 100, repeat=False, shuffle=False):
            optimizer.update(model, x, t)

    return epoch


def torch_mlp() -> Callable[[], None]:
    """The same."""
    import torch

    x, t = (torch.from_numpy(a) for a in _images(60_000, 784))
    layers = torch.nn.Linear(784, 100), torch.nn.Linear(100, 100), torch.nn.Linear(100, 10)
    model = torch.nn.Sequential(layers[0], torch.nn.ReLU(), layers[1], torch.nn.ReLU(), layers[2])
    optimizer = torch.optim.SGD(model.parameters(), 0.01)

    def epoch() -> None:
        for i in range(0, 60_000, 100):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x[i : i + 100]), t[i : i + 100]).backward()
            optimizer.step()

    return epoch


def autolab_convnet() -> Callable[[], None]:
    """28 x 28 images, 3 x 3 kernels, 16-32-64 channels with pooling, batch 64, with SGD: one step."""
    from autolab import Sequential, links, optimizers
    from autolab import functions as F

    x, t = _images(64, 1, 28, 28)
    convolutions = links.Conv2D(1, 16, 3, pad=1), links.Conv2D(16, 32, 3, pad=1), links.Conv2D(32, 64, 3, pad=1)
    steps = [step for c in convolutions for step in (c, F.relu, lambda h: F.max_pool2d(h, kernel=2))]
    flatten = lambda h: F.reshape(h, shape=(len(h), 64 * 9))  # noqa: E731
    model = links.Classifier(Sequential(*steps, flatten, links.Linear(64 * 9, 10)), accfun=None)
    optimizer = optimizers.SGD(0.01).setup(model)
    return lambda: optimizer.update(model, x, t) and None


def torch_convnet() -> Callable[[], None]:
    """The same."""
    import torch

    x, t = (torch.from_numpy(a) for a in _images(64, 1, 28, 28))
    steps: list[torch.nn.Module] = []
    for i, o in ((1, 16), (16, 32), (32, 64)):
        steps += [torch.nn.Conv2d(i, o, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2)]
    model = torch.nn.Sequential(*steps, torch.nn.Flatten(), torch.nn.Linear(64 * 9, 10))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)

    def step() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), t).backward()
        optimizer.step()

    return step


def _answer(*command: object) -> Any:
    """What a program prints, as JSON."""
    words = [str(word) for word in command]
    run = subprocess.run(words, env=variables(keep_blocks=True), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout)


def _in_words(found: dict[str, Any]) -> str:
    """What LiveMonitor costs."""
    low, high = (100 * share for share in found["adds, 90 % interval"])
    return (
        f"it adds {100 * found['adds']:.1f} % to the training's processor time ({low:.1f} to {high:.1f} %, 90 % "
        f"interval); by its own clock it works {100 * found['its own share']:.1f} %; "
        f"{found['messages a second']:.1f} pictures a second; an update without it takes {1e6 * found['update']:.0f} us"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Whole training steps beside PyTorch.")
    parser.add_argument("--save", metavar="NAME", help="write the result to benchmarks/results/NAME.json")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        import torch

        torch.set_num_threads(1)
        print(json.dumps(race()))
        return
    stay_on_one_core()
    found = _answer(prepare(), __file__, "--child")
    monitor = _answer(sys.executable, BENCHMARKS / "monitor.py")  # needs ipywidgets, as a notebook does
    for name, seconds in found.items():
        share = seconds["autolab"] / seconds["torch"]
        goal = GOALS[name] if name.startswith("mlp") else 1 / GOALS[name]
        verdict = "met" if share <= goal else "missed"
        torch = seconds["torch"]
        print(
            f"{name}: {seconds['autolab']:.3f} s, {share:.2f} of PyTorch's {torch:.3f} s (goal {goal:.2f}: {verdict})"
        )
    verdict = "met" if monitor["adds"] <= GOALS["LiveMonitor"] else "missed"
    print(f"LiveMonitor: {_in_words(monitor)} (goal {100 * GOALS['LiveMonitor']:.0f} %: {verdict})")
    if options.save:
        result = {"machine": machine(), "commit": commit(), "seconds": found, "LiveMonitor": monitor}
        (BENCHMARKS / "results" / f"{options.save}.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

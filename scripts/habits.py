"""Write docs/habits.md from the tables that the messages read: ``python scripts/habits.py``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from autolab.engine.habit_tables import ALIASES, KEYWORDS, NEEDLESS, ON_PURPOSE, PLACES, answers, patterns
from autolab.shared.files import write

TITLES = {
    "Variable": "On a Variable `x`",
    "View": "On a view, a chart or a report, such as `autolab.explore(f, x=...)`",
    "Link": "On a model or layer",
    "Optimizer": "On an optimizer",
    "functions": "In `autolab.functions`, as `F`",
    "links": "In `autolab.links`, as `L`",
    "special": "In `autolab.scipy.special`",
    "init": "In `autolab.nn.init`",
    "func": "In `autolab.func`",
    "functional": "In `autolab.autograd.functional`",
    "image_transforms": "In `autolab.data.transforms`, as `T`",
    "linalg": "In `autolab.linalg` and `autolab.scipy.linalg`",
    "norm": "In `autolab.scipy.stats.norm`",
    "stats": "In `autolab.scipy.stats`",
    "utils": "In `autolab.nn.utils`",
    "rnn": "In `autolab.nn.utils.rnn`",
    "optimizers": "In `autolab.optimizers`",
    "lr_scheduler": "In `autolab.optimizers.lr_scheduler`",
    "autograd": "In `autolab.autograd`",
    "transforms": "In `autolab.transforms`",
    "serializers": "In `autolab.serializers`",
    "initializers": "In `autolab.initializers`",
    "IndexUpdates": "On `x.at[i]`, which has `set` and `add`",
    "lax": "In `autolab.lax`, which has JAX's loops and branches",
    "random": "In `autolab.random`",
    "data": "In `autolab.data`, which is `autolab.utils.data`, too",
    "training": "In `autolab.training`",
    "gradcheck": "In `autolab.gradcheck`",
    "plots": "In `autolab.plots`",
    "GradientReport": "On a report of `autolab.check_gradients`",
    "Recording": "On what `autolab.record` gives",
    "extensions": "In `autolab.training.extensions`",
    "autolab": "In `autolab` itself",
    "parameters": "As a parameter of NumPy's functions, here `f`",
    "keywords": "As a keyword of a function, link or optimizer",
}


def markdown() -> str:
    """docs/habits.md."""
    parts = [
        "# Habits from elsewhere\n\nWhat people type who know PyTorch, JAX, Chainer, DeZero or NumPy, and what AutoLab "
        "has instead. Each part of this page first lists the names that work as they are typed, then those that are "
        "other names of something, and last what is written in another way: the error messages say it, too.\n\n"
        "Functions that NumPy has take NumPy's parameters, `autolab.tanh` is `autolab.functions.tanh`, "
        "and every other name of NumPy's is one of `autolab`: `autolab.histogram`. `import autolab.nn`, "
        "`autolab.nn.functional` and `autolab.optim` give the modules that do the same. Where one call means "
        "two things, `autolab.nn` means PyTorch's: `nn.LSTM`, `nn.GRU`, `nn.RNN`, "
        "`nn.MultiheadAttention` and `nn.TransformerEncoderLayer` take the length first unless `batch_first=True`, and "
        "`nn.functional.pad` the last axis first; in `autolab.links` and `autolab.functions` batches "
        "come first, and `pad` is NumPy's.\n",
        "What makes arrays in NumPy makes Variables in `autolab`. Floats require a gradient: `array`, `tensor`, "
        "`arange`, `linspace`, `randn` and their like. What fills an array does so only with `requires_grad=True`: "
        "`zeros`, `ones`, `full`, `eye`, `empty` and their like. `array` keeps the graph of a Variable, `tensor` makes "
        "a leaf of it; `autolab.numpy` makes NumPy's arrays. NumPy's `np.c_` and `np.r_` take no Variables: "
        "`autolab.c_[x, y]` and `autolab.r_[x, y]` do.\n",
        "On a Variable and in `autolab` a second argument is NumPy's, one by the name `dim` PyTorch's. "
        "`x.reshape(2, 3, order='F')`, `x.ravel('F')` and `x.flatten('F')` are NumPy's. These differ on purpose:\n",
        "\n".join(["| here | PyTorch's meaning | the difference |", "| --- | --- | --- |", *_different()]) + "\n",
        "`x[i] = v` gives a Variable a new array, and the step that made it: gradients flow to `v` and to the rest of "
        "`x`. What was taken out of `x` before, such as `row = x[0]`, keeps the old numbers. A leaf that requires a "
        "gradient is copied first, `x = x.copy()`. `w.data` is NumPy's array, without PyTorch's `add_`: an update is "
        "`w.data -= lr * w.grad`, or `w.sub_(lr * w.grad)` inside `with autolab.no_grad():`.\n",
        "`autolab.jit(f)` gives Variables, as `grad(f)` and `vmap(f)` do, so that `jit(f)(x).block_until_ready()` "
        "works with NumPy's arrays, too; `autolab.compile(f)` gives what the function gives.\n",
        "`y.creator.inputs[0] is x`: the walk back from a Variable goes on at the `creator` of its inputs. An input "
        "that nobody holds, and a constant, is a Variable without numbers. `y.grad_fn.next_functions` walks too.\n",
        "`view.to_html(path)` writes a page, as `autolab.export_html(view, path)` does; without a path either returns "
        "its text. A page that `explore` wrote by itself, as no notebook draws, is removed then. "
        "`autolab.export_html(f, path, x=...)` writes that of a function, `recording.save('run.json')` "
        "the data.\n",
        "A whole script of PyTorch's, Chainer's or DeZero's runs as it is after "
        "`from autolab import compat; compat.install('torch')`, as far as [compat.md](compat.md) lists its names.\n",
        "`np.random.seed(0)` seeds AutoLab too. A Variable shares the memory of the array that it is made of, so a "
        "buffer that is filled again before `backward` goes in as a copy: `autolab.tensor(buffer)`; "
        "`autolab.check_inplace` finds where it did not, and `autolab.diagnose` does too.\n",
    ]
    return "\n".join([*parts, *[_part(where) for where in PLACES]])


def _different() -> list[str]:
    return [f"| `{own}` | `{theirs}` | {reason} |" for own, theirs, reason in ON_PURPOSE.values()]


def _part(where: str) -> str:
    """The part of the page about names that are looked for in one place."""
    found = ALIASES.get(where, {})
    others = {name: _shown(target) for name, target in found.items() if _shown(target) not in ("", name)}
    if where == "keywords":
        found = dict.fromkeys(NEEDLESS, "")
        others = {name: " or ".join(f"{own}=" for own in owns) for name, owns in KEYWORDS.items()}
    paragraphs = [f"## {TITLES[where]}"]
    if plain := [name for name in found if name not in others]:
        paragraphs.append(f"✓ as typed: {_listed(plain)}.")
    if others:
        rows = [f"| `{name}` | `{own}` |" for name, own in _sorted(others)]
        paragraphs.append("\n".join(["| ✓ typed | is |", "| --- | --- |", *rows]))
    if answers(where):
        names: dict[str, list[str]] = {}  # that are answered alike
        for name, text in _sorted({**answers(where), **patterns(where)}):
            names.setdefault(text.replace("{name}", "f").replace("{}", "..."), []).append(f"`{name}`")
        rows = [f"| {', '.join(alike)} | {text} |" for text, alike in names.items()]
        missing = "where none of them is there" if where == "keywords" else "not there"
        paragraphs.append("\n".join([f"| {missing} | there is |", "| --- | --- |", *rows]))
    return "\n\n".join(paragraphs) + "\n"


def _shown(target: str) -> str:
    """The name for which an alias stands; empty if only the alias is a name for users."""
    return (
        "" if re.search(r"__|_(form|names|layers|module|keys|places|methods)\b", target) else target.rpartition(".")[2]
    )


def _sorted(rows: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted(rows.items(), key=lambda row: row[0].lower())


def _listed(names: Iterable[str]) -> str:
    return ", ".join([f"`{name}`" for name in sorted(names, key=str.lower)])


if __name__ == "__main__":
    write(Path(__file__).parents[1] / "docs" / "habits.md", markdown())

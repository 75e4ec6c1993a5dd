"""Expressions by a library and by AutoLab's facade of it: values, gradients and numbers that came out.

Each line of ``<library>_cases.txt`` is a case. ``a(2, 3)`` in it is a new Variable whose gradient is compared, ``p``
the same with positive elements, ``z`` with zeros among them, ``s`` one in float32, ``n`` an array of normally
distributed numbers, ``i(k, 2)`` whole numbers below k. An expression gives Variables or arrays, one or several. With
the library itself installed,

    python tests/compat/figures.py chainer

writes what it computes to ``<library>_figures.json``; Chainer 7.8.1 and DeZero 0.0.13 run on Python 3.8, NumPy 1.23.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def cases(library):
    """The expressions, in order."""
    lines = (HERE / f"{library}_cases.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def computed(expression, library, package=""):
    """The results of an expression, and the gradients of its Variables, as lists of nested lists."""
    module = import_module(package + library)
    rng, inputs = np.random.RandomState(sum(map(ord, expression))), []

    def variable(data):
        inputs.append(module.Variable(np.asarray(data)))
        return inputs[-1]

    names = {
        "np": np,
        library: module,
        "F": import_module(f"{package}{library}.functions"),
        "L": import_module(f"{package}{library}." + ("links" if library == "chainer" else "layers")),
        "O": import_module(f"{package}{library}.optimizers"),
        "a": lambda *shape: variable(rng.normal(size=shape)),
        "p": lambda *shape: variable(rng.uniform(0.2, 1.5, size=shape)),
        "z": lambda *shape: variable(rng.normal(size=shape) * (rng.uniform(size=shape) < 0.5)),
        "s": lambda *shape: variable(rng.normal(size=shape).astype(np.float32)),
        "n": lambda *shape: rng.normal(size=shape),
        "i": lambda most, *shape: rng.randint(0, most, size=shape),
        "taught": lambda rule, *hooks: taught(module, rule, hooks, rng),
        "filled": lambda link: filled(link, rng, inputs),
        "rng": rng,
    }
    np.random.seed(0)
    if library != "chainer":
        return _outcome(eval(expression, names), module, rng, inputs, names["F"].sum)
    with module.using_config("dtype", np.dtype(np.float64)):
        return _outcome(eval(expression, names), module, rng, inputs, names["F"].sum)


def _outcome(outcome, module, rng, inputs, added):
    results = list(outcome) if isinstance(outcome, (tuple, list)) else [outcome]
    ys = [y for y in results if isinstance(y, module.Variable) and y.dtype.kind == "f"]
    total = None
    for y in ys if inputs else []:
        part = added(y * rng.normal(size=y.shape).astype(y.dtype))
        total = part if total is None else total + part
    if total is not None and getattr(total, "creator", None) is not None:
        total.backward()
    gradients = [getattr(x.grad, "data", None) if hasattr(x.grad, "creator") else x.grad for x in inputs]
    values = [np.asarray(y.data if isinstance(y, module.Variable) else y) for y in results]
    return [v.tolist() for v in values], [None if g is None else np.asarray(g).tolist() for g in gradients]


def filled(link, rng, inputs):
    """A link whose parameters are drawn anew, in float64, and whose gradients are compared."""
    params = getattr(link, "namedparams", lambda: [(p.name, p) for p in link.params()])()
    for _, p in sorted(params, key=lambda pair: pair[0]):
        p.data = rng.normal(size=p.shape)
        p.cleargrad()
        inputs.append(p)
    return link


def taught(module, rule, hooks, rng):
    """The parameter after three steps of an optimizer, with hooks."""
    if module.__name__.endswith("chainer"):
        link = module.Link()
        with link.init_scope():
            link.w = module.Parameter(np.array([1.0, -2.0, 3.0]))
    else:
        link = module.Layer()
        link.w = module.Parameter(np.array([1.0, -2.0, 3.0]))
    rule.setup(link)
    for hook in hooks:
        rule.add_hook(hook)
    for _ in range(3):
        g = rng.normal(size=3)
        link.w.grad = g if module.__name__.endswith("chainer") else module.Variable(g)
        rule.update()
    return np.array(link.w.data)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        found = {}
        for case in cases(name):
            try:
                found[case] = computed(case, name)
            except Exception as error:
                print(case, type(error).__name__, str(error)[:200])
        text = json.dumps(found, indent=0).replace(",\n", ", ").replace("[\n", "[").replace("\n]", "]")
        (HERE / f"{name}_figures.json").write_text(text)
        print(name, len(found))

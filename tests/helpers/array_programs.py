"""Random functions of NumPy's arrays, as text: views, writes in place, masks, branches, casts, structures."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autolab import Variable
from autolab import functions as F

_DTYPES = [np.float64, np.float64, np.float32, np.float32, np.float16, np.int64, np.int32, np.uint8, np.bool_]
_SHAPES = [(), (1,), (4,), (3, 4), (4, 3), (4, 4), (1, 4), (2, 3, 4), (0, 4), (4, 0)]
_UNARY = "negative exp log sqrt tanh sin abs floor sign square reciprocal isnan logical_not rint expm1 signbit".split()  # noqa: SIM905
_BINARY = "add subtract multiply true_divide maximum minimum power arctan2 greater less equal floor_divide mod".split()  # noqa: SIM905
_REDUCED = "sum mean max min prod var argmax any all cumsum std".split()  # noqa: SIM905

LINES = [
    *[f"$n = np.{name}($a)" for name in _UNARY],
    *[f"$n = np.{name}($a, $b)" for name in _BINARY],
    *[f"$n = $a {sign} $b" for sign in ("+", "-", "*", "/", "@", ">", "==", "**")],
    *[f"$n = $a {sign} {number}" for sign in ("+", "*", "/", "<", "-") for number in ("1", "2.5", "-1e-3", "1e4")],
    *[f"$n = $a.{name}(axis={axis})" for name in _REDUCED for axis in (None, 0, -1)],
    *[f"$n = np.sum($a, axis={axis}, keepdims=True)" for axis in (0, -1, None)],
    *[f"$n = $a[{index}]" for index in ("::2", "1:", "::-1", "..., 0", "None", "-1", "[0, -1, 0]", ":, 1:", "...")],
    *[f"$n = $a.{view}" for view in ("T", "ravel()", "reshape(-1)", "copy()", "swapaxes(0, -1)", "real",
    "flatten()")],
    *[f"$n = $a.astype(np.{kind})" for kind in ("float64", "float32", "float16", "int64", "uint8", "bool_")],
    "$n = np.where($a > 0, $a, $b)", "$n = np.clip($a, -1, 1)", "$n = np.concatenate([$a, $a])",
    "$n = np.stack([$a, $a * 2])", "$n, $m = np.divmod($a, 3)", "$n, $m = np.modf($a)", "$n = np.sort($a)",
    "$n = np.argsort($a, kind='stable')", "$n = np.broadcast_to($a, (2, *$a.shape))", "$n = np.zeros_like($a)",
    "$n = np.ones_like($a) * 3", "$n = np.einsum('ij,ij->i', $a, $a)", "$n = np.dot($a, $b)", "$n = K * $a",
    "$n = $a + K[0]", "$n = np.outer($a, $b)", "$n = np.linalg.norm($a)", "$n = np.diff($a)", "$n = $a[$a > 0]",
    "$n = F.tanh(Variable($a)).data", "$n = F.softmax(Variable($a), axis=-1).data", "$n = np.take($a, [0, 0])",
    "$n = F.sum(Variable($a) * 2, axis=0).data", "$n = np.tril($a)", "$n = np.asarray($a)",
    "$n = np.expand_dims($a, 0)",
    "$n = np.cumprod($a)", "$n = np.unique($a)", "$n = np.repeat($a, 2)", "$n = np.nan_to_num($a)",
    "$n = np.pad($a, 1)",
    "$n = sum([$a, $a, $b])", "$n = $a.dot($a)", "$n = np.hypot($a, $b)", "$n = np.sum($a * $a, dtype=np.float64)",
    "$a += 1", "$a *= $b", "$a -= $b[...]", "$a[0] = 7", "$a[1:] = $b", "$a[$a > 1] = 0", "$a[...] = $a[::-1]",
    "np.add($a, $b, out=$a)", "np.exp($a, out=$a)", "np.add.at($a, [0, 0], 1)", "np.copyto($a, $b)", "$a.sort()",
    "$a.fill(2)", "$a /= 2", "$a[::2] += $b[::2]", "np.maximum($a, 0, out=$a)", "$a.T[0] = 5",
    "$a.reshape(-1)[1:] = 3",
    "np.multiply($a, 3, out=$a, where=$a > 0)", "$n = np.add($a, $b, out=np.empty_like($a))",
    "np.putmask($a, $a > 2, 0)",
    "if $a.sum() > 0: $a = $a * 2", "$n = $b if ($a > 0).all() else $a", "$n = $a * 2 if $a.size else $b",
    "for row in $a: $n = row * 2", "while 1e4 > $a.max() > 50: $a = $a / 3", "$a, $b = $b, $a", "del $a",
    "with np.errstate(over='ignore'): $n = np.exp($a * 100)", "$n = np.frexp($a)[0]",
    "$n = $a.item() if $a.size == 0 else $a",
]  # fmt: skip


class ArrayFunction(NamedTuple):
    """Its text, how its arguments are made, and the function."""

    text: str
    arguments: Callable[[int], list[Any]]
    function: Callable[..., Any]


def _array(rng: np.random.Generator, shape: Any, dtype: Any, layout: int, size: int) -> np.ndarray:
    whole = rng.normal(size=(*shape[:-1], 2 * shape[-1]) if shape else ()) * [1.0, 1.0, 30.0, 1e-30, 300.0][size]
    with np.errstate(all="ignore"):
        made = np.asarray(np.abs(whole) if dtype is np.uint8 else whole).astype(dtype)
    if not shape:
        return made
    made = [made[..., : shape[-1]].copy(), made[..., ::2], np.asfortranarray(made[..., : shape[-1]])][layout % 3]
    return made[::-1] if layout == 3 else made


def draw(seed: int) -> ArrayFunction:
    """Function number ``seed``, of one to three arrays, one of which may come in a list or twice."""
    rng = np.random.default_rng([37, seed])
    count = int(rng.integers(1, 4))
    kinds = [
        (_SHAPES[rng.integers(len(_SHAPES))] if i == 0 or rng.random() < 0.5 else None, rng.integers(len(_DTYPES)))
        for i in range(count)
    ]
    shapes = [kinds[0][0] if shape is None else shape for shape, _ in kinds]
    layouts, sizes = rng.integers(0, 5, (2, count)) % [[4], [5]]
    is_twice, is_nested = rng.random() < 0.15, rng.random() < 0.2

    def arguments(number: int) -> list[Any]:
        own = np.random.default_rng([number, seed])
        made = [_array(own, shapes[i], _DTYPES[kinds[i][1]], layouts[i], sizes[i]) for i in range(count)]
        made += made[:1] if is_twice else []
        return [[made[0], {"b": made[-1]}], *made[1:]] if is_nested else made

    names = [f"a{i}" for i in range(count + is_twice)]
    head = ["(a0, held), rest = args[0], args[1:]", "b0 = held['b']"] if is_nested else []
    taken = names[1:] if is_nested else names
    lines = [*head, f"{', '.join(taken)}, = {'rest' if is_nested else 'args'}"] if taken else head
    world = _world(arguments(0))
    exec("\n".join(lines), world)
    for _ in range(int(rng.integers(3, 14))):
        line = str(LINES[rng.integers(len(LINES))])
        known = [name for name in world if name[0] in "abv" and name[1:].isdigit()]
        if not known:
            break
        pick = [known[-1 - min(int(rng.geometric(0.35)) - 1, len(known) - 1)] for _ in range(2)]
        for mark, name in zip(("$a", "$b", "$n", "$m"), (*pick, f"v{len(lines)}", f"v{len(lines)}0"), strict=True):
            line = line.replace(mark, name)
        if _works(line, world):
            lines.append(line)
    known = [name for name in world if name[0] in "abv" and name[1:].isdigit()] or ["None"]
    some = [known[i] for i in rng.integers(len(known), size=3)]
    form = ["return {2}", "return {0}, {1}, {2}", "return {{'x': [{0}], 'y': ({1}, {2}, 1.5)}}", "return [{2}, {2}]"]
    lines.append(form[rng.integers(len(form))].format(*some[:-1], known[-1]))
    text = "def f(*args):\n    " + "\n    ".join(lines) + "\n"
    return ArrayFunction(text, arguments, _made(text, seed))


def _world(args: list[Any]) -> dict[str, Any]:
    return {"np": np, "F": F, "Variable": Variable, "K": np.arange(1.0, 5.0), "args": args}


def _made(text: str, seed: int) -> Callable[..., Any]:
    world = _world([])
    world["__name__"] = f"array_program_{seed}"
    exec(compile(text, f"array program {seed}", "exec"), world)
    return world["f"]  # type: ignore[no-any-return]


def _works(line: str, world: dict[str, Any]) -> bool:
    """Run a line, unless it raises or makes something large."""
    trial = copy.deepcopy({name: one for name, one in world.items() if name[0] in "abv" and name[1:].isdigit()})
    try:
        exec(line, {**world, **trial})
        exec(line, world)
    except Exception:
        return False
    return all([np.size(one) < 500 for name, one in world.items() if name[0] == "v"])

"""Calls of PyTorch's layers, losses and functions, with every parameter at other values than its default.

Each call is a line of Python that both PyTorch and what has its meaning here run; `outcome` is what it gives.
"""

# ruff: noqa: E501 (a call is a line)
from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

FLOATS = ("float32", "float64", "float16")
DTYPES = ("float64", "float16", "int64", "bool")
SHAPES = ("()", "(0,)", "(2, 0)", "(0, 3)", "(3,)", "(1, 1)", "(2, 2, 3)")

# an argument of a call: an expression, in which $ stands for the dtype and # for a shape
UNARY = {
    "F.relu": {"inplace": ["True"]},
    "F.relu6": {"inplace": ["True"]},
    "F.leaky_relu": {"negative_slope": ["0.2", "0.0", "-0.5", "0", "float('inf')"], "inplace": ["True"]},
    "F.elu": {"alpha": ["0.5", "-1.0", "0.0"], "inplace": ["True"]},
    "F.celu": {"alpha": ["0.5", "2", "-1.0", "0.0"], "inplace": ["True"]},
    "F.selu": {"inplace": ["True"]},
    "F.silu": {"inplace": ["True"]},
    "F.mish": {"inplace": ["True"]},
    "F.hardswish": {"inplace": ["True"]},
    "F.hardsigmoid": {"inplace": ["True"]},
    "F.hardtanh": {"min_val": ["-0.25", "0.5", "2.0"], "max_val": ["0.25", "-2.0", "3"], "inplace": ["True"]},
    "F.softsign": {},
    "F.logsigmoid": {},
    "F.tanhshrink": {},
    "F.sigmoid": {},
    "F.tanh": {},
    "F.gelu": {"approximate": ["'tanh'", "'erf'"]},
    "F.softplus": {"beta": ["2.0", "0.5", "-1.0", "0"], "threshold": ["0.5", "-1", "0"]},
    "F.glu": {"dim": ["0", "-2", "2", "5"]},
    "F.softmax": {"dim": ["0", "1", "-1", "3"], "dtype": ["torch.float64", "torch.int64"]},
    "F.log_softmax": {"dim": ["0", "1", "-1", "3"], "dtype": ["torch.float64"]},
    "F.softmin": {"dim": ["0", "1", "-1", "3"], "dtype": ["torch.float64"]},
    "F.normalize": {
        "p": ["1.0", "3", "float('inf')", "0.5", "0", "float('-inf')"],
        "dim": ["0", "-1", "(0, 1)", "2"],
        "eps": ["1.0", "0.0", "1e3"],
    },
    "F.threshold": {"threshold": ["0.1"], "value": ["2.0"]},
    "F.softshrink": {"lambd": ["0.1"]},
    "F.hardshrink": {"lambd": ["0.1"]},
}
"""Functions of one tensor, and other values of their parameters."""

LOSSES = {
    "mse_loss": {"weight": ["t((2, 3), $, 'pos', 9, False)"]},
    "l1_loss": {},
    "smooth_l1_loss": {"beta": ["0.5", "0.0", "-1.0", "2"]},
    "huber_loss": {"delta": ["0.5", "0.0", "-1.0", "2"], "weight": ["t((2, 3), $, 'pos', 9, False)"]},
    "kl_div": {"log_target": ["True"]},
    "binary_cross_entropy": {
        "weight": ["t((2, 3), $, 'pos', 9, False)", "t((3,), $, 'pos', 9, False)", "t((2, 2), $, 'pos', 9, False)"]
    },
    "binary_cross_entropy_with_logits": {
        "weight": ["t((2, 3), $, 'pos', 9, False)", "t((3,), $, 'pos', 9, False)"],
        "pos_weight": ["t((3,), $, 'pos', 8, False)", "t((2,), $, 'pos', 8, False)"],
    },
    "poisson_nll_loss": {"log_input": ["False"], "full": ["True"]},
    "soft_margin_loss": {},
    "hinge_embedding_loss": {"margin": ["0.5"]},
    "multilabel_soft_margin_loss": {},
}
"""Losses of two tensors of one shape."""


def lines() -> Iterator[str]:
    """All calls, each once."""
    made = itertools.chain(
        _unary(), _losses(), _classified(), _other_losses(), _convolutions(), _pooling(), _padding(), _norms(),
        _sequences(), _matrices(), _layers(), _attention(), _reductions(), _shapes(),
    )  # fmt: skip
    return iter(dict.fromkeys(made))


def _with(function: str, given: str, options: dict[str, list[str]], both: int = 12) -> Iterator[str]:
    """The call with each option by itself, and with pairs of them."""
    yield f"{function}({given})"
    for name, values in options.items():
        for value in values:
            yield f"{function}({given}, {name}={value})"
    pairs = [
        f"{function}({given}, {a}={x}, {b}={y})"
        for (a, xs), (b, ys) in itertools.combinations(options.items(), 2)
        for x, y in itertools.product(xs, ys)
    ]
    yield from pairs[:: max(len(pairs) // both, 1)]


def _typed(made: Iterator[str]) -> Iterator[str]:
    """The calls with tensors of float32, and every third one also of the other dtypes."""
    for number, line in enumerate(made):
        yield line.replace("$", "'float32'")
        if "$" in line:
            for dtype in DTYPES if number == 0 else (DTYPES[number % len(DTYPES)],) if number % 3 == 0 else ():
                yield line.replace("$", f"'{dtype}'")


def _unary() -> Iterator[str]:
    for name, options in UNARY.items():
        options = dict(options)
        needed = "".join([f", {key}={options.pop(key)[0]}" for key in ("threshold", "value") if name == "F.threshold"])
        inplace = " + 0" if "inplace" in options else ""
        usual = ", dim=1" if name in ("F.softmax", "F.log_softmax", "F.softmin") else ""
        if usual:
            dims = options.pop("dim")
            yield from [f"{name}(t((2, 3)), dim={dim})" for dim in dims]
        yield from _typed(_with(name, f"t((2, 4), $){inplace}{needed}{usual}", options))
        usual = usual.replace("1", "-1")
        yield from [f"{name}(t({shape}){inplace}{needed}{usual})" for shape in SHAPES]
        yield f"{name}([1.0]{needed}{usual})"
        yield f"{name}(t((7,), 'float32', 'large'){needed}{usual})"
        yield f"{name}(t((7,), 'float64', 'large'){needed}{usual})"


def _losses() -> Iterator[str]:
    for name, more in LOSSES.items():
        first = "p" if name == "binary_cross_entropy" else ""
        second = "p" if name in ("binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div") else ""
        options = {**more, "reduction": ["'sum'", "'none'", "'batchmean'", "'avg'"]}
        if name not in ("huber_loss",):
            options |= {"size_average": ["False", "True"], "reduce": ["False", "True"]}
        given = f"t((2, 3), $, '{first}'), t((2, 3), $, '{second}', 1)"
        yield from _typed(_with(f"F.{name}", given, options, 30))
        for a, b in (("(2, 3)", "(3,)"), ("(2, 3)", "(2, 1)"), ("(2, 3)", "(3, 2)"), ("(0,)", "(0,)"), ("()", "()")):
            for how in ("'mean'", "'none'"):
                given = f"t({a}, 'float32', '{first}'), t({b}, 'float32', '{second}', 1), reduction={how}"
                yield f"F.{name}({given})"
        for a, b in (("float32", "float64"), ("float64", "float32"), ("float32", "int64"), ("float32", "bool")):
            yield f"F.{name}(t((2, 3), '{a}', '{first}'), t((2, 3), '{b}', '{second}', 1))"
        yield f"F.{name}(t((2, 3), 'float32', '{first}'), 1.0)"
    for dtype in FLOATS[:2]:
        for x, y in itertools.product((0.0, 1.0, 0.5, 1e-3, -0.5, 1.5), (0.0, 1.0, 0.25, -0.1, 2.0)):
            given = f"c([{x}, 0.3], '{dtype}'), c([{y}, 0.6], '{dtype}')"
            yield f"F.binary_cross_entropy({given}, reduction='none')"
            if dtype == "float32":
                yield f"F.binary_cross_entropy_with_logits({given.replace('0.5', '50.0')}, reduction='none')"


def _classified() -> Iterator[str]:
    weights = ["t((4,), $, 'pos', 9, False)", "t((3,), $, 'pos', 9, False)", "t((4,), $, 'zeros', 0, False)"]
    for name in ("cross_entropy", "nll_loss"):
        options = {
            "weight": weights[:2],
            "ignore_index": ["1", "-1", "0"],
            "reduction": ["'sum'", "'none'", "'batchmean'"],
            "size_average": ["False"],
            "reduce": ["False"],
        }
        if name == "cross_entropy":
            options["label_smoothing"] = ["0.1", "1.0", "-0.1", "1.5"]
        for labels in ("[1, 3, 0]", "[-100, 1, 2]", "[-100, -100, -100]", "[1, 1, 1]", "[2, -1, 0]", "[4, 0, 0]"):
            yield from _typed(_with(f"F.{name}", f"t((3, 4), $), i({labels})", options, 25))
        for dims, labels in (
            ("(4,)", "i(2)"), ("(4,)", "i(-100)"), ("(2, 3, 2)", "i([[0, 1], [2, -100]])"), ("(0, 3)", "i([])"),
            ("(3, 4)", "i([[1], [3], [0]])"), ("(3, 4)", "i([1, 3])"), ("(3, 1)", "i([0, 0, 0])"),
            ("(3, 4)", "c([1.0, 3.0, 0.0], 'float32')"), ("()", "i(0)"), ("(3, 4)", "b([True, False, True])"),
        ):  # fmt: skip
            for how in ("'mean'", "'sum'", "'none'"):
                yield f"F.{name}(t({dims}), {labels}, reduction={how})"
    more = {
        "weight": weights,
        "reduction": ["'sum'", "'none'"],
        "label_smoothing": ["0.1", "1.0"],
        "ignore_index": ["1"],
    }
    for given in ("t((3, 4), $), t((3, 4), $, 'p', 1)", "t((4,), $), t((4,), $, 'p', 1)"):
        yield from _typed(_with("F.cross_entropy", given, more, 25))
    yield "F.cross_entropy(t((2, 3, 2)), t((2, 3, 2), 'float32', 'p', 1), label_smoothing=0.2)"
    yield "F.cross_entropy(t((3, 4)), t((3, 4), 'float64', 'p', 1))"
    yield "F.cross_entropy(t((0, 4)), t((0, 4), 'float32', 'p', 1))"


def _other_losses() -> Iterator[str]:
    how = {"reduction": ["'sum'", "'none'", "'avg'"]}
    options = {"full": ["True"], "eps": ["0.5", "-1.0", "0.0"], **how}
    for var in ("t((2, 3), $, 'pos', 2)", "t((2, 1), $, 'pos', 2)", "t((2,), $, 'pos', 2)", "0.3", "1", "-1.0"):
        given = f"t((2, 3), $), t((2, 3), $, '', 1), {var}"
        yield from _typed(_with("F.gaussian_nll_loss", given, options, 20))
    yield "F.gaussian_nll_loss(t((2, 3)), t((2, 3), 'float32', '', 1), t((3,), 'float32', 'pos'))"
    yield "F.gaussian_nll_loss(t((2, 3)), t((2, 3), 'float32', '', 1), t((2, 3), 'float32', '', 2))"
    yield "F.gaussian_nll_loss(t((2, 3)), t((2, 3), 'float32', '', 1), c([[0.0, 1e-9, 2.0], [1.0, 3.0, 1e-7]]))"
    options = {"margin": ["0.5", "0.0", "-1.0", "3"], "p": ["1", "1.0", "3.0"], "eps": ["0.1"], "swap": ["True"], **how}
    given = "t((2, 3), $), t((2, 3), $, '', 1), t((2, 3), $, '', 2)"
    yield from _typed(_with("F.triplet_margin_loss", given, options, 30))
    yield "F.triplet_margin_loss(t((3,)), t((3,), 'float32', '', 1), t((3,), 'float32', '', 2))"
    yield "F.triplet_margin_loss(t((2, 3)), t((1, 3), 'float32', '', 1), t((2, 3), 'float32', '', 2))"
    yield "F.triplet_margin_loss(t((0, 3)), t((0, 3)), t((0, 3)))"
    options = {"dim": ["0", "-1", "2"], "eps": ["1.0", "0.0"]}
    for given in ("t((2, 3), $), t((2, 3), $, '', 1)", "t((2, 3), $), t((3,), $, '', 1)", "t((2, 0), $), t((2, 0), $)"):
        yield from _typed(_with("F.cosine_similarity", given, options))
    yield "F.cosine_similarity(c([[0.0, 0.0], [1e-9, 0.0], [1.0, 2.0]]), c([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]))"
    for name, given, options in (
        ("pairwise_distance", "t((2, 3), $), t((2, 3), $, '', 1)", {"p": ["1.0"], "keepdim": ["True"]}),
        ("cosine_embedding_loss", "t((2, 3), $), t((2, 3), $, '', 1), i([1, -1])", {"margin": ["0.2"], **how}),
        ("margin_ranking_loss", "t((3,), $), t((3,), $, '', 1), i([1, -1, 1])", {"margin": ["0.2"], **how}),
        ("multi_margin_loss", "t((2, 3), $), i([0, 2])", {"p": ["2"], "margin": ["0.5"], **how}),
    ):
        yield from _typed(_with(f"F.{name}", given, options))


def _convolutions() -> Iterator[str]:
    for axes in (1, 2):
        size, ker, x = (", 5" * axes, ", 3" * axes, ", 4" * axes)
        options = {
            "bias": ["t((4,), $, '', 5)", "t((3,), $, '', 5)"],
            "stride": ["2", "(2,)" if axes == 1 else "(1, 2)", "0", "-1", "(1, 2, 3)"],
            "padding": ["1", "'same'", "'valid'", "'full'", "-1", "(2,)" if axes == 1 else "(0, 1)"],
            "dilation": ["2", "0", "(2,)" if axes == 1 else "(2, 1)"],
            "groups": ["2", "3", "0"],
        }
        yield from _typed(_with(f"F.conv{axes}d", f"t((2, 4{size}), $), t((4, 4{ker}), $, '', 1)", options, 30))
        yield from _typed(
            _with(
                f"F.conv{axes}d",
                f"t((2, 4{size}), $), t((4, 2{ker}), $, '', 1), groups=2",
                {**options, "groups": []},
                20,
            )
        )
        for shape in (
            f"(4{size})",
            f"(0, 4{size})",
            f"(2, 3{size})",
            f"(2, 4, {', '.join('2' * axes)})",
            f"(1, 2, 4{size})",
        ):
            yield f"F.conv{axes}d(t({shape}), t((4, 4{ker}), 'float32', '', 1))"
        yield f"F.conv{axes}d(t((2, 4{size})), t((4, 4{ker}), 'float64', '', 1))"
        yield f"F.conv{axes}d(t((2, 4{size})), t((4, 4{', 2' * axes}), 'float32', '', 1), padding='same')"
        yield f"F.conv{axes}d(t((2, 4{size})), t((4, 4{ker}), 'float32', '', 1), stride=2, padding='same')"
        yield f"F.conv{axes}d(t((2, 4{size})), t((4, 4{ker}), 'float32', '', 1), t((4,), 'float64'))"
        name = f"F.conv_transpose{axes}d"
        for s, p, m, g, d in itertools.product((1, 2, 3), (0, 1), (0, 1, 2), (1, 2), (1, 2)):
            given = f"t((1, 2{x})), t((2, 2{', 2' * axes}), 'float32', '', 1), t(({2 * g},), 'float32', '', 2)"
            yield f"{name}({given}, {s}, {p}, {m}, {g}, {d})"
        given = f"t((2, 2{x}), $), t((2, 3{ker}), $, '', 1)"
        options = {
            "bias": ["t((3,), $, '', 5)", "t((2,), $, '', 5)"],
            "stride": ["(2,)" if axes == 1 else "(1, 2)", "0"],
            "padding": ["-1", "3", "'same'"],
            "output_padding": ["-1", "(1,)" if axes == 1 else "(0, 1)"],
            "groups": ["3", "0"],
            "dilation": ["0", "(2,)" if axes == 1 else "(2, 1)"],
        }
        yield from _typed(_with(name, given, options, 25))
        yield f"{name}(t((2{x})), t((2, 3{ker}), 'float32', '', 1))"
        yield f"{name}(t((0, 2{x})), t((2, 3{ker}), 'float32', '', 1))"
    yield "F.conv3d(t((1, 2, 3, 3, 3)), t((2, 2, 2, 2, 2)))"
    yield "F.conv_transpose3d(t((1, 2, 3, 3, 3)), t((2, 2, 2, 2, 2)))"
    options = {"dilation": ["2", "0", "(1, 2)"], "padding": ["1", "(0, 1)", "-1"], "stride": ["2", "(2, 1)", "0"]}
    yield from _typed(_with("F.unfold", "t((2, 2, 5, 4), $), 2", options, 20))
    for shape, kernel in (("(2, 5, 4)", "(2, 3)"), ("(0, 2, 5, 4)", "2"), ("(5, 4)", "2"), ("(2, 2, 1, 1)", "2")):
        yield f"F.unfold(t({shape}), {kernel})"
    for shape, factor in (("(1, 8, 2, 3)", "2"), ("(8, 2, 3)", "2"), ("(1, 6, 2, 2)", "2"), ("(1, 4, 2, 2)", "0"), ("(0, 4, 2, 2)", "2"), ("(4, 1)", "2"), ("(2, 1, 4, 2, 2)", "2")):  # fmt: skip
        yield f"F.pixel_shuffle(t({shape}), {factor})"


def _pooling() -> Iterator[str]:
    for axes in (1, 2):
        for kind in ("max", "avg"):
            options = {
                "stride": ["1", "3", "0", "(2,)" if axes == 1 else "(1, 2)", "[]"],
                "padding": ["1", "2", "-1", "(1,)" if axes == 1 else "(0, 1)"],
                "ceil_mode": ["True"],
            }
            more = {"dilation": ["2", "0"], "return_indices": ["True"]}
            options |= more if kind == "max" else {"count_include_pad": ["False"]}
            if (kind, axes) == ("avg", 2):
                options |= {"divisor_override": ["3", "0"]}
            name, size = f"F.{kind}_pool{axes}d", ", 7" * axes
            yield from _typed(_with(name, f"t((2, 2{size}), $), 2", options, 30))
            yield from _typed(_with(name, f"t((1, 1{size}), $), 3", options, 30))
            for shape in (f"(2{size})", f"(0, 2{size})", f"(2, 0{size})", "(2, 2, 1)", "(2, 2, 1, 1)", f"(2{size.replace('7', '0')})", "(7,)", "(1, 2, 2, 7, 7)"):  # fmt: skip
                yield f"{name}(t({shape}), 2)"
            yield f"{name}(t((2, 2{size})), 0)"
            yield f"{name}(t((2, 2{size})), 8)"
            yield f"{name}(t((2, 2{size}), 'float32', 'ties'), 2)"
            for out in ("1", "2", "4", "8", "0", "-1", "None", "(2,)" if axes == 1 else "(2, None)", "(4, 2)"):
                for shape in (f"(2, 2{size.replace('7', '8')})", f"(2{size.replace('7', '8')})"):
                    yield f"F.adaptive_{kind}_pool{axes}d(t({shape}), {out})"
            yield f"F.adaptive_{kind}_pool{axes}d(t((2, 2{size})), 3)"
            yield f"F.adaptive_{kind}_pool{axes}d(t((2, 2{size}), 'int64'), 1)"
            yield f"F.adaptive_{kind}_pool{axes}d(t((0, 2{size})), 1)"
            yield f"F.adaptive_{kind}_pool{axes}d(t((2, 2{size.replace('7', '8')}), 'float64'), 2)"
    for mode in ("nearest", "linear", "bilinear", "nearest-exact", "area", "bicubic", "cubic"):
        for shape in ("(1, 2, 4)", "(1, 2, 3, 4)", "(2, 3)", "(0, 2, 4)", "(1, 1, 1, 1)"):
            yield f"F.interpolate(t({shape}), scale_factor=2, mode='{mode}')"
            yield f"F.interpolate(t({shape}), size=5, mode='{mode}')"
        for more in ("align_corners=True", "align_corners=False", "antialias=True", "recompute_scale_factor=True"):
            yield f"F.interpolate(t((1, 2, 3, 4)), scale_factor=1.5, mode='{mode}', {more})"
            yield f"F.interpolate(t((1, 2, 4)), scale_factor=1.5, mode='{mode}', {more})"
        for how in ("size=2, scale_factor=2", "", "size=0", "scale_factor=0.5", "scale_factor=0.0", "size=(2, 3)", "scale_factor=(2, 1.5)", "scale_factor=0.7", "scale_factor=-1"):  # fmt: skip
            yield f"F.interpolate(t((1, 2, 3, 4)), mode='{mode}'{', ' * bool(how)}{how})"
        for dtype in DTYPES:
            yield f"F.interpolate(t((1, 2, 4), '{dtype}'), scale_factor=2, mode='{mode}')"


def _padding() -> Iterator[str]:
    for mode in ("constant", "reflect", "replicate", "circular", "edge", "wrap", "symmetric"):
        for pads in ("(1, 1)", "(2, 0)", "(0, 3)", "(4, 0)", "(5, 5)", "(-1, 1)", "(-1, -1)", "(-5, 1)", "(1, 1, 1, 1)", "(1, 0, 2, 1)", "(1, 1, 0, 3)", "(1,)", "()", "(0, 0)", "(1,) * 6", "[1, 2]", "1", "(1.0, 1)"):  # fmt: skip
            for shape in ("(2, 3, 4)", "(3, 4)") if "-" not in pads else ("(2, 3, 4)",):
                yield f"F.pad(t({shape}), {pads}, mode='{mode}')"
        for shape in ("(4,)", "(1, 1, 3, 4)", "(2, 0)", "(2, 3, 0)", "(0, 3, 4)", "(1, 1, 1)", "()"):
            yield f"F.pad(t({shape}), (1, 0), mode='{mode}')"
        for value in ("1.5", "0.0", "None", "float('inf')", "True"):
            yield f"F.pad(t((2, 3, 4)), (1, 1), mode='{mode}', value={value})"
        for dtype in DTYPES:
            yield f"F.pad(t((2, 3, 4), '{dtype}'), (1, 2), mode='{mode}')"
    yield "F.pad(t((2, 3), 'int64'), (1, 1), value=1.5)"
    yield "F.pad(t((2, 3), 'bool'), (1, 1), value=1)"


def _norms() -> Iterator[str]:
    affine = {"weight": ["t((4,), $, 'pos', 3)", "t((3,), $, 'pos', 3)"], "bias": ["t((4,), $, '', 4)"]}
    eps = {"eps": ["0.5", "0.0", "1e-3"]}
    for shape in ("(3, 4)", "(2, 4, 3)", "(2, 4, 2, 2)"):
        averages = "t((4,), $, '', 6, False), t((4,), $, 'pos', 7, False)"
        options = {"training": ["True"], "momentum": ["0.5", "0.0"], **affine, **eps}
        yield from _typed(_with("F.batch_norm", f"t({shape}, $), {averages}", options, 25))
        yield f"F.batch_norm(t({shape}), None, None, training=True)"
        yield f"F.instance_norm(t({shape}), None, None, t((4,), 'float32', 'pos'), t((4,), 'float32', '', 4), True, 0.1, 0.5)"
        yield f"F.instance_norm(t({shape}), {averages.replace('$', repr('float32'))}, use_input_stats=False)"
    yield "F.batch_norm(t((3, 4)), None, None)"
    for shape in ("(1, 4)", "(4,)", "(0, 4)", "(1, 4, 1)", "(2, 4, 0)", "()"):
        yield f"F.batch_norm(t({shape}), None, None, training=True)"
        yield f"F.instance_norm(t({shape}))"
    for shape, norm in (("(3, 4)", "(4,)"), ("(2, 3, 4)", "(3, 4)"), ("(2, 4)", "[4]"), ("(2, 4)", "(2,)"), ("(2, 4)", "()"), ("(0, 4)", "(4,)"), ("(4,)", "(4,)"), ("(2, 4)", "4")):  # fmt: skip
        weights = {"weight": [f"t({norm}, $, 'pos', 3)", "t((1,), $, '', 3)"]} if norm[0] == "(" else {}
        yield from _typed(_with("F.layer_norm", f"t({shape}, $), {norm}", {**weights, **eps}))
        yield from _typed(_with("F.rms_norm", f"t({shape}, $), {norm}", {**weights, **eps}))
    options = {**affine, **eps}
    for shape, groups in (("(2, 4)", "1"), ("(2, 4, 3)", "1"), ("(2, 4, 2, 2)", "4"), ("(2, 4, 2)", "3"), ("(0, 4, 2)", "2"), ("(2, 4)", "0"), ("(4,)", "2"), ("(1, 4)", "4")):  # fmt: skip
        yield from _typed(_with("F.group_norm", f"t({shape}, $), {groups}", options))


def _sequences() -> Iterator[str]:
    for ids in ("i([0, 2, 2])", "i([[1, 0], [3, 3]])", "i([])", "i(1)", "i([4])", "i([-1])", "c([1.0])", "b([True])"):
        yield from _typed(_with("F.embedding", f"{ids}, t((4, 2), $)", {"padding_idx": ["2", "-1", "3", "0"]}))
    for more in ("padding_idx=4", "padding_idx=-5", "padding_idx=-4", "max_norm=1.0", "scale_grad_by_freq=True", "sparse=True", "padding_idx=1.0", "norm_type=1.0"):  # fmt: skip
        yield f"F.embedding(i([0, 2, 2]), t((4, 2)), {more})"
    for given in ("i([0, 2, 1])", "i([[0, 1], [1, 0]])", "i([])", "i(2)", "i([-1])", "c([1.0])", "b([True])"):
        yield from _with("F.one_hot", given, {"num_classes": ["3", "5", "2", "0", "-1", "-2"]})
    for given in ("t((2, 3), $), t((4, 3), $, '', 1)", "t((2, 2, 3), $), t((4, 3), $, '', 1)", "t((3,), $), t((4, 3), $, '', 1)", "t((3,), $), t((3,), $, '', 1)", "t((0, 3), $), t((4, 3), $, '', 1)", "t((2, 3), $), t((4, 2), $, '', 1)"):  # fmt: skip
        yield from _typed(_with("F.linear", given, {"bias": ["t((4,), $, '', 2)", "t((1,), $, '', 2)", "t((), $, '', 2)", "t((3,), $, '', 2)"]}))  # fmt: skip
    yield "F.linear(t((2, 3)), t((4, 3), 'float64'))"
    yield "F.linear(t((2, 3), 'int64'), t((4, 3), 'float32'))"
    yield "F.linear(t((2, 3)), t((4, 3)), t((4,), 'float64'))"
    for given in ("t((2, 3), $), t((1,), $, 'pos', 1)", "t((2, 3), $), t((3,), $, 'pos', 1)", "t((2, 3), $), t((2,), $, 'pos', 1)", "t((3,), $), t((3,), $, 'pos', 1)", "t((2, 3, 2), $), t((3,), $, 'pos', 1)", "t((), $), t((1,), $)", "t((2, 3), $), t((), $)", "t((2, 3), $), t((1, 1), $)"):  # fmt: skip
        yield from _typed(iter([f"F.prelu({given})"]))
    for weight in ("(2, 3, 4)",):
        options = {"bias": ["t((2,), $, '', 3)"]}
        yield from _typed(_with("F.bilinear", f"t((2, 3), $), t((2, 4), $, '', 1), t({weight}, $, '', 2)", options))
    for sides in (
        "batch_first=True",
        "padding_value=2.5",
        "padding_side='left'",
        "",
        "batch_first=True, padding_value=-1",
    ):
        for given in ("[t((2, 2)), t((3, 2), 'float32', '', 1)]", "[i([1, 2]), i([3])]", "[t((0, 2)), t((1, 2))]", "[t((2,)), t((3, 2))]", "[]", "(t((2,)), t((3,)))"):  # fmt: skip
            yield f"nn.utils.rnn.pad_sequence({given}{', ' * bool(sides)}{sides})"


def _attention() -> Iterator[str]:
    q, k, v = "t((2, 2, 3, 4), $)", "t((2, 2, 5, 4), $, '', 1)", "t((2, 2, 5, 3), $, '', 2)"
    masks = [
        "t((3, 5), $, '', 3, False)", "t((2, 1, 3, 5), $, '', 3, False)", "t((3, 5), 'bool', '', 3)", "t((1, 5), 'bool', '', 3)",
        "t((2, 3, 5), 'bool')", "t((3, 4), 'bool')", "t((3, 5), 'int64')", "b([[True] * 5, [False] * 5, [True, False] * 2 + [True]])",
        "t((3, 5), 'float64', '', 3, False)",
    ]  # fmt: skip
    options = {
        "attn_mask": masks,
        "is_causal": ["True"],
        "scale": ["0.5", "-1.0", "0.0"],
        "dropout_p": ["0.0", "1.0", "1.5"],
    }
    yield from _typed(_with("F.scaled_dot_product_attention", f"{q}, {k}, {v}", options, 40))
    for given in ("t((3, 4)), t((5, 4)), t((5, 4))", "t((4,)), t((4,)), t((4,))", "t((2, 3, 4)), t((2, 5, 3)), t((2, 5, 4))", "t((2, 3, 4)), t((1, 5, 4)), t((2, 5, 4))", "t((2, 3, 4)), t((2, 0, 4)), t((2, 0, 4))", "t((2, 0, 4)), t((2, 3, 4)), t((2, 3, 4))", "t((2, 3, 4)), t((2, 3, 4), 'float64'), t((2, 3, 4))", "t((2, 3, 4), 'int64'), t((2, 3, 4), 'int64'), t((2, 3, 4), 'int64')"):  # fmt: skip
        yield f"F.scaled_dot_product_attention({given})"
        yield f"F.scaled_dot_product_attention({given}, is_causal=True)"


def _matrices() -> Iterator[str]:
    for dtype in ("float32", "float64", "float16", "int64"):
        spd = f"t((3, 3), '{dtype}', 'spd')"
        for name in ("eigh", "cholesky", "inv", "det", "slogdet", "pinv", "svd", "qr", "matrix_norm", "norm", "vector_norm", "eigvalsh"):  # fmt: skip
            end = {"eigh": "[0]", "svd": ".S", "qr": ".R.abs()"}.get(name, "")
            yield f"torch.linalg.{name}({spd}){end}"
            yield f"torch.linalg.{name}({spd}.tril() * 1.0 + t((3, 3), '{dtype}').triu(1) * 9){end}"
    for more in ("UPLO='U'", "UPLO='L'", "UPLO='u'", "UPLO='x'"):
        yield f"torch.linalg.eigh(t((3, 3), 'float64', 'spd') + t((3, 3), 'float64').triu(1) * 9, {more})[0]"
    yield "torch.linalg.cholesky(t((3, 3), 'float64', 'spd') + t((3, 3), 'float64').tril(-1) * 9, upper=True)"
    yield "torch.linalg.cholesky(-t((3, 3), 'float64', 'spd'))"
    for name in ("eigh", "cholesky", "inv", "det", "slogdet", "pinv", "qr"):
        end = "[0]" if name == "eigh" else ""
        for shape in ("(0, 0)", "(2, 3)", "(3,)", "(2, 0, 0)", "(0, 2, 2)", "(1, 1)"):
            yield f"torch.linalg.{name}(t({shape}, 'float64', 'pos')){end}"
    for order in ("2", "1", "float('inf')", "-float('inf')", "0", "3", "-1", "'fro'", "'nuc'", "-2", "'no'"):
        for dim in ("", ", dim=0", ", dim=(0, 1)", ", dim=1, keepdim=True", ", dtype=torch.float64"):
            yield f"torch.linalg.norm(t((3, 3)), {order}{dim})"
            yield f"torch.linalg.vector_norm(t((3, 3)), {order}{dim})"
        yield f"torch.linalg.matrix_norm(t((3, 3)), {order})"
        yield f"torch.linalg.matrix_norm(t((2, 3, 3)), {order}, keepdim=True)"
    for given in ("t((3, 3), $, 'spd'), t((3,), $)", "t((3, 3), $, 'spd'), t((3, 2), $)", "t((2, 3, 3), $, 'spd'), t((2, 3), $)", "t((3, 3), $, 'spd'), t((2,), $)"):  # fmt: skip
        yield from _typed(_with("torch.linalg.solve", given, {"left": ["False", "True"]}))


def _layers() -> Iterator[str]:
    x1, x2 = "t((2, 4, 6))", "t((1, 4, 6, 5))"
    for axes, x in ((1, x1), (2, x2)):
        conv = {
            "stride": ["2", "0"],
            "padding": ["1", "'same'", "'no'"],
            "dilation": ["2", "0"],
            "groups": ["2", "3", "0"],
            "bias": ["False"],
            "padding_mode": ["'reflect'", "'circular'", "'replicate'", "'no'"],
            "dtype": ["torch.float64"],
            "device": ["'cpu'"],
        }
        for line in _with(f"nn.Conv{axes}d", "4, 2, 3", conv, 20):
            yield f"run({line}, {x})"
        conv |= {"output_padding": ["1", "2"]}
        for line in _with(f"nn.ConvTranspose{axes}d", "4, 2, 3", conv, 20):
            yield f"run({line}, {x})"
        for line in (f"nn.Conv{axes}d(4, 0, 3)", f"nn.Conv{axes}d(0, 2, 3)", f"nn.Conv{axes}d(4, 2, 0)", f"nn.Conv{axes}d(4, 2, (3, 3))", f"nn.Conv{axes}d(4.0, 2, 3)", f"nn.Conv{axes}d(3, 2, 3)"):  # fmt: skip
            yield f"run({line}, {x})"
        yield f"run(nn.Conv{axes}d(4, 2, 3), t((4, 6{', 5' * (axes - 1)})))"
        yield f"nn.ConvTranspose{axes}d(4, 2, 3, stride=2)({x}, output_size={[14, 11][:axes]}).shape"
        for kind in ("Batch", "Instance"):
            norm = {
                "eps": ["0.5"],
                "momentum": ["0.5", "None", "0.0", "1.0"],
                "affine": ["False", "True"],
                "track_running_stats": ["False", "True"],
            }
            small = ("t((2, 4, 3))", "t((2, 4, 2, 2))")[axes - 1]
            for line in _with(f"nn.{kind}Norm{axes}d", "4", norm, 20):
                yield f"run({line}, {small})"
                yield f"run({line}, {small}, evaluate=True)"
            for shape in ("(4, 6)", "(2, 4)", "(2, 3, 6)", "(4, 6, 5)", "(2, 4, 6, 5, 2)", "(1, 4, 1)", "(1, 4, 1, 1)", "(0, 4, 3)", "(2, 4, 1)"):  # fmt: skip
                yield f"run(nn.{kind}Norm{axes}d(4), t({shape}))"
    for line in _with("nn.Linear", "3, 2", {"bias": ["False"], "dtype": ["torch.float64"], "device": ["'cpu'"]}):
        yield f"run({line}, t((2, 3)))"
    for line in ("nn.Linear(0, 2)", "nn.Linear(3, 0)", "nn.Linear(-1, 2)", "nn.Linear(3.0, 2)"):
        yield f"run({line}, t((2, 3)))"
    yield "run(nn.Linear(0, 2), t((3, 0)))"
    yield "run(nn.Linear(3, 2), t((2, 3), 'float64'))"
    for line in _with("nn.Bilinear", "3, 4, 2", {"bias": ["False"]}):
        yield f"run({line}, t((2, 3)), t((2, 4), 'float32', '', 1))"
    options = {"padding_idx": ["1", "-1", "4", "-5"], "max_norm": ["1.0"], "norm_type": ["1.0"], "scale_grad_by_freq": ["True"], "sparse": ["True"], "dtype": ["torch.float64"]}  # fmt: skip
    for line in _with("nn.Embedding", "4, 2", options):
        yield f"run({line}, i([0, 3, 3, 1]))"
        yield f"{line}.padding_idx"
    yield "nn.Embedding(4, 2, padding_idx=-1).weight[3]"
    yield "nn.Embedding.from_pretrained(t((4, 2), 'float32', '', 0, False), padding_idx=2).weight"
    for line in _with("nn.Embedding.from_pretrained", "t((4, 2), 'float32', '', 0, False)", {"freeze": ["False"], "padding_idx": ["-1", "7"], "max_norm": ["1.0"]}):  # fmt: skip
        yield f"{line}(i([0, 3, 3]))"
    shapes = {"nn.LayerNorm": ["4", "(6, 4)", "[4]", "(3,)"], "nn.RMSNorm": ["4", "(6, 4)"]}
    for name, given in shapes.items():
        for one in given:
            norm = {"eps": ["0.5", "None"], "elementwise_affine": ["False"], "dtype": ["torch.float64"]}
            for line in _with(name, one, norm | ({"bias": ["False"]} if name == "nn.LayerNorm" else {})):
                yield f"run({line}, t((2, 6, 4)))"
    for line in _with("nn.GroupNorm", "2, 4", {"eps": ["0.5"], "affine": ["False"]}):
        yield f"run({line}, {x1})"
    yield "run(nn.GroupNorm(3, 4), t((2, 4)))"
    for line in _with("nn.PReLU", "", {"num_parameters": ["3", "2"], "init": ["0.5", "-1.0"]}):
        yield f"run({line.replace('(, ', '(')}, t((2, 3)))"
    for line in _with("nn.Flatten", "", {"start_dim": ["0", "-2", "5"], "end_dim": ["1", "0", "-1"]}):
        yield f"{line.replace('(, ', '(')}(t((2, 3, 4)))"
    for line in ("nn.Unflatten(1, (2, 2))", "nn.Unflatten(-1, (3, -1))", "nn.Unflatten(1, (3, 2))", "nn.Unflatten(3, (1,))", "nn.Unflatten(1, [4, 1])", "nn.Unflatten(1.0, (2, 2))"):  # fmt: skip
        yield f"{line}(t((2, 4, 3)))"
    for p in ("0.0", "1.0", "1.5", "-0.1", "1"):
        for more in ("", ", training=False", ", inplace=True"):
            for dtype in ("float32", *DTYPES):
                yield f"F.dropout(t((2, 4), '{dtype}') + 0, {p}{more})"
    for line in _with("nn.Dropout", "", {"p": ["0.0", "1.0", "1.5", "-0.5"], "inplace": ["True"]}):
        yield f"run({line.replace('(, ', '(')}, t((2, 3)), evaluate=True)"
        if "0.0" in line or "1.0" in line:
            yield f"run({line.replace('(, ', '(')}, t((2, 3)) + 0)"
    for name, options in UNARY.items():
        title = _LAYERS.get(name)
        if title is not None:
            for line in _with(f"nn.{title}", "", options, 4):
                yield f"{line.replace('(, ', '(')}(t((2, 4)) + 0)"
    for name, title, given in (
        ("MSELoss", "mse_loss", "t((2, 3)), t((2, 3), 'float32', '', 1)"),
        ("L1Loss", "l1_loss", "t((2, 3)), t((2, 3), 'float32', '', 1)"),
        ("SmoothL1Loss", "smooth_l1_loss", "t((2, 3)), t((2, 3), 'float32', '', 1)"),
        ("HuberLoss", "huber_loss", "t((2, 3)), t((2, 3), 'float32', '', 1)"),
        ("KLDivLoss", "kl_div", "t((2, 3)), t((2, 3), 'float32', 'p', 1)"),
        ("BCELoss", "binary_cross_entropy", "t((2, 3), 'float32', 'p'), t((2, 3), 'float32', 'p', 1)"),
        ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", "t((2, 3)), t((2, 3), 'float32', 'p', 1)"),
    ):
        options = {key: values for key, values in LOSSES[title].items() if key != "weight" or name.startswith("BCE")}
        options |= {"reduction": ["'sum'", "'none'", "'avg'"]}
        if name != "HuberLoss":
            options |= {"size_average": ["False"], "reduce": ["False"]}
        for line in _with(f"nn.{name}", "", options):
            yield f"{line.replace('(, ', '(').replace('$', repr('float32'))}({given})"
    for name in ("CrossEntropyLoss", "NLLLoss"):
        options = {
            "weight": ["t((4,), 'float32', 'pos', 9, False)"],
            "ignore_index": ["1"],
            "reduction": ["'sum'", "'none'"],
        }
        if name == "CrossEntropyLoss":
            options |= {"label_smoothing": ["0.1"]}
        for line in _with(f"nn.{name}", "", options):
            yield f"{line.replace('(, ', '(')}(t((3, 4)), i([1, 3, 0]))"
            yield f"{line.replace('(, ', '(')}(t((3, 4)), i([1, -100, 1]))"
    for kind, options in (
        (
            "MaxPool",
            {"stride": ["1"], "padding": ["1"], "dilation": ["2"], "return_indices": ["True"], "ceil_mode": ["True"]},
        ),
        ("AvgPool", {"stride": ["1"], "padding": ["1"], "ceil_mode": ["True"], "count_include_pad": ["False"]}),
    ):
        for axes, x in ((1, "t((2, 2, 7))"), (2, "t((2, 2, 7, 6))")):
            for line in _with(f"nn.{kind}{axes}d", "3", options):
                yield f"{line}({x})"
    for kind, sizes in (("LSTM", "3, 2"), ("GRU", "3, 2"), ("RNN", "3, 2")):
        options = {
            "num_layers": ["2", "0"], "bias": ["False"], "batch_first": ["True"], "bidirectional": ["True"],
            "dropout": ["0.0", "1.5"], "proj_size": ["1"], "dtype": ["torch.float64"],
        }  # fmt: skip
        if kind == "RNN":
            options["nonlinearity"] = ["'relu'", "'gelu'"]
            del options["proj_size"]
        for line in _with(f"nn.{kind}", sizes, options, 15):
            yield f"run({line}, t((4, 2, 3)))"
            yield f"run({line}, t((4, 3)))"
        yield f"run(nn.{kind}({sizes}), t((0, 2, 3)))"
        yield f"run(nn.{kind}({sizes}), t((4, 0, 3)))"
        yield f"run(nn.{kind}({sizes}), t((4, 2, 3), 'float64'))"
        state = "(t((1, 2, 2)), t((1, 2, 2), 'float32', '', 1))" if kind == "LSTM" else "t((1, 2, 2))"
        yield f"run(nn.{kind}({sizes}), t((4, 2, 3)), {state})"
        for line in _with(f"nn.{kind}Cell", sizes, {"bias": ["False"], "dtype": ["torch.float64"]}):
            yield f"run({line}, t((2, 3)))"
            yield f"run({line}, t((3,)))"
        yield f"run(nn.{kind}Cell({sizes}), t((2, 4)))"
    for line in ("nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))", "nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2), nn.GELU('tanh'))"):  # fmt: skip
        yield f"run({line}, t((2, 3)))"
    for factor in ("2", "0"):
        yield f"nn.PixelShuffle({factor})(t((1, 8, 2, 2)))"
    yield "nn.Unfold(2, stride=2)(t((1, 2, 4, 4)))"
    for name, given in (("CosineSimilarity", "t((2, 3)), t((2, 3), 'float32', '', 1)"), ("PairwiseDistance", "t((2, 3)), t((2, 3))")):  # fmt: skip
        for line in _with(f"nn.{name}", "", {"dim": ["0"], "eps": ["1.0"]} if name[0] == "C" else {"p": ["1.0"]}):
            yield f"{line.replace('(, ', '(')}({given})"
    for line in _with(
        "nn.TripletMarginLoss", "", {"margin": ["0.5", "0"], "p": ["1.0"], "eps": ["0.1"], "swap": ["True"]}
    ):
        yield f"{line.replace('(, ', '(')}(t((2, 3)), t((2, 3), 'float32', '', 1), t((2, 3), 'float32', '', 2))"
    for line in _with("nn.GaussianNLLLoss", "", {"full": ["True"], "eps": ["0.5"], "reduction": ["'sum'", "'none'"]}):
        yield f"{line.replace('(, ', '(')}(t((2, 3)), t((2, 3), 'float32', '', 1), t((2, 3), 'float32', 'pos', 2))"


_LAYERS = {
    f"F.{title.lower()}": title
    for title in (
        *("ReLU", "ReLU6", "ELU", "CELU", "SELU", "SiLU", "Mish", "Hardswish", "Hardsigmoid", "Hardtanh", "Softsign"),
        *("LogSigmoid", "Tanhshrink", "Sigmoid", "Tanh", "GELU", "Softplus", "GLU", "Softmax", "Softmin"),
    )
} | {"F.leaky_relu": "LeakyReLU", "F.log_softmax": "LogSoftmax"}


def _reductions() -> Iterator[str]:
    options = {"dim": ["0", "-1", "(0, 1)", "2"], "keepdim": ["True"], "dtype": ["torch.float64"]}
    for name in ("sum", "mean", "prod", "nansum", "nanmean", "logsumexp", "amax", "amin", "cumsum", "cumprod", "var", "std", "norm", "all", "any", "argmax", "argmin", "median", "count_nonzero"):  # fmt: skip
        some = dict(options)
        if name in (
            "logsumexp",
            "amax",
            "amin",
            "var",
            "std",
            "all",
            "any",
            "argmax",
            "argmin",
            "median",
            "count_nonzero",
        ):
            del some["dtype"]
        if name in ("cumsum", "cumprod", "count_nonzero"):
            del some["keepdim"]
        if name in ("var", "std"):
            some |= {"unbiased": ["False"], "correction": ["0", "2"]}
        if name == "norm":
            some |= {"p": ["1", "'fro'", "float('inf')", "0", "'nuc'"]}
        first = ", dim=1" if name in ("logsumexp", "cumsum", "cumprod") else ""
        if first:
            yield from [f"torch.{name}(t((2, 3)), dim={dim})" for dim in some.pop("dim")]
        made = _typed(_with(f"torch.{name}", f"t((2, 3), $){first}", some))
        yield from [line for line in made if "keepdim" not in line or "dim=" in line.replace("keepdim=", "")]
        for shape in ("()", "(0,)", "(2, 0)", "(1, 1)"):
            yield f"torch.{name}(t({shape}){', dim=0' * bool(first)})"
            yield f"torch.{name}(t({shape}), dim=0)"


def _shapes() -> Iterator[str]:
    for line in (
        "torch.clamp(t((2, 3), $), 0.5, -0.5)", "torch.clamp(t((2, 3), $), min=0.1)", "torch.clamp(t((2, 3), $))",
        "torch.clamp(t((2, 3), $), max=t((3,), $, '', 1))", "torch.where(t((2, 3), 'bool'), t((2, 3), $), 0)",
        "torch.tril(t((3, 3), $), 1)", "torch.triu(t((3, 3), $), -1)", "torch.diagonal(t((3, 4), $), 1)",
        "torch.lerp(t((2, 3), $), t((2, 3), $, '', 1), 0.3)", "torch.addcmul(t((2, 3), $), t((2, 3), $), t((2, 3), $), value=0.5)",
        "torch.nan_to_num(t((7,), $, 'wild'), 1.0, 2.0, -2.0)", "torch.logaddexp(t((2, 3), $), t((2, 3), $, '', 1))",
        "torch.cross(t((2, 3), $), t((2, 3), $, '', 1), dim=1)", "torch.tensordot(t((2, 3), $), t((3, 2), $, '', 1), 1)",
        "torch.roll(t((2, 3), $), 1)", "torch.roll(t((2, 3), $), (1, 2), (0, 1))", "torch.flip(t((2, 3), $), (0, 1))",
        "torch.cumsum(t((2, 3), $), 1)", "torch.pow(t((2, 3), $, 'pos'), 2)", "torch.fmod(t((2, 3), $), 2)",
        "torch.remainder(t((2, 3), $), 2)", "torch.div(t((2, 3), $), 2, rounding_mode='floor')", "torch.square(t((2, 3), $))",
        "torch.rsqrt(t((2, 3), $, 'pos'))", "torch.isclose(t((2, 3), $), t((2, 3), $))", "torch.softmax(t((2, 3), $), 0)",
    ):  # fmt: skip
        for dtype in ("float32", *DTYPES):
            yield line.replace("$", f"'{dtype}'")


# ---------------------------------------------------------------------- running them
def outcome(torch: Any, nn: Any, line: str) -> list[tuple[str, np.ndarray]] | str:
    """What a line gives: each result and each gradient with its dtype; or the name of its error."""
    leaves: list[Any] = []

    def of(numbers: np.ndarray, dtype: str, learns: bool = True) -> Any:
        made = torch.tensor(numbers.tolist(), dtype=getattr(torch, dtype))
        made = made.reshape(numbers.shape)
        if learns and dtype.startswith("float"):
            made.requires_grad_(True)
            leaves.append(made)
        return made

    def t(shape: Any, dtype: str = "float32", kind: str = "", seed: int = 0, learns: bool = True) -> Any:
        return of(_numbers(tuple(shape), dtype, kind, seed), dtype, learns)

    def run(layer: Any, *given: Any, evaluate: bool = False) -> Any:
        for number, parameter in enumerate(layer.parameters()):
            kind = str(parameter.dtype).removeprefix("torch.")
            with torch.no_grad():
                parameter.copy_(of(_numbers(tuple(parameter.shape), kind, "", 20 + number) * 0.3, kind, False))
            leaves.append(parameter)
        if evaluate:
            layer.eval()
        return layer(*given), [*layer.buffers()]

    names = {
        "torch": torch, "nn": nn, "F": nn.functional, "t": t, "run": run,
        "c": lambda numbers, dtype="float32": of(np.asarray(numbers, np.float64), dtype),
        "i": lambda numbers: of(np.asarray(numbers, np.int64), "int64"),
        "b": lambda numbers: of(np.asarray(numbers, bool), "bool"),
    }  # fmt: skip
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = list(_flat(eval(line, names)))
            with_graph = [one for one in found if isinstance(one, torch.Tensor) and one.requires_grad and one.numel()]
            if with_graph:
                starts = [of(_numbers(tuple(one.shape), "float32", "", 40), "float32", False) for one in with_graph]
                starts = [start.to(one.dtype) for start, one in zip(starts, with_graph, strict=True)]
                torch.autograd.backward(with_graph, starts)
        results = [_told(torch, one) for one in found]
        return results + [_told(torch, leaf.grad) for leaf in leaves]
    except Exception as error:
        return type(error).__name__


def _numbers(shape: tuple[int, ...], dtype: str, kind: str, seed: int) -> np.ndarray:
    count = int(np.prod(shape))
    places = np.arange(count, dtype=np.float64) + 7.3 * seed
    waves = np.round(np.sin(1.7 * places + 0.3) * 2, 3)  # no two equal, none 0
    if kind == "p":
        waves = np.round((waves + 2.2) / 4.4, 3)
    elif kind == "pos":
        waves = np.abs(waves) + 0.25
    elif kind == "wild":
        waves = np.resize([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e30, -1e-30], count)
    elif kind == "large":
        waves = np.resize([200.0, -200.0, 50.0, -50.0, 1e-30, -1e-30, 0.0], count)
    elif kind == "zeros":
        waves = np.resize([0.0, 0.0, 1.0, 0.0], count)
    elif kind == "ties":
        waves = np.round(waves)
    values = waves.reshape(shape)
    if kind == "spd":
        values = values @ np.swapaxes(values, -1, -2) + 2 * np.eye(shape[-1])
    if dtype == "bool":
        return values > 0.1
    return np.round(values).astype(np.int64) if dtype == "int64" else values


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple) and not hasattr(value, "numel"):
        for one in value:
            yield from _flat(one)
    else:
        yield value


def _told(torch: Any, value: Any) -> tuple[str, np.ndarray]:
    if value is None:
        return "none", np.zeros(0)
    if isinstance(value, torch.Tensor):
        return str(value.dtype).removeprefix("torch."), np.array(value.detach().numpy(), np.float64)
    return type(value).__name__, np.asarray(value, np.float64)


def difference(expected: list[tuple[str, np.ndarray]] | str, got: list[tuple[str, np.ndarray]] | str) -> str:
    """How what a line gives differs from what PyTorch gives: nothing, if it is equal or refused."""
    if isinstance(got, str):
        return ""
    if isinstance(expected, str):
        return f"PyTorch refuses ({expected}); here {[(d, a.ravel()[:4].tolist()) for d, a in got][:2]}"
    if [(dtype, array.shape) for dtype, array in expected] != [(dtype, array.shape) for dtype, array in got]:
        return f"{[(d, a.shape) for d, a in got]}, not {[(d, a.shape) for d, a in expected]}"
    for number, ((dtype, a), (_, b)) in enumerate(zip(expected, got, strict=True)):
        wide = {"float16": 4e-3, "float32": 3e-5, "float64": 1e-6}.get(dtype, 0.0)
        finite = np.abs(a[np.isfinite(a)])
        least = wide * max(float(finite.max(initial=0.0)), 1.0 if dtype == "float16" else 0.1)
        if not np.allclose(b, a, wide, least, equal_nan=True):
            return f"result {number}: {b.ravel()[:5].tolist()}, not {a.ravel()[:5].tolist()}"
    return ""


KINDER = {
    "F.softsign(t((2, 4), 'bool'": "booleans count as numbers",
    "F.tanhshrink(t((2, 4), 'bool'": "booleans count as numbers",
    "torch.nanmean(t((2, 3), 'int64'": "the mean of whole numbers is a float",
    "torch.nanmean(t((2, 3), 'bool'": "the mean of booleans is a float",
    "torch.norm(t((2, 3), 'bool'": "booleans count as numbers",
    "torch.norm(t((2, 3), 'int64'": "whole numbers are converted to dtype",
    "torch.argmax(t((2, 3), 'bool'": "True is the larger one",
    "torch.argmin(t((2, 3), 'bool'": "False is the smaller one",
    "torch.median(t((2, 3), 'bool'": "False is the smaller one",
    "torch.lerp(t((2, 3), 'int64'": "the result is a float",
    "torch.logaddexp(t((2, 3), 'int64'": "the result is a float",
    "torch.logaddexp(t((2, 3), 'bool'": "the result is a float",
    "torch.tensordot(t((2, 3), 'bool'": "a product of booleans is one",
    "F.instance_norm(t((0, 4)))": "of no numbers there are none",
    "run(nn.Conv1d(4, 0, 3)": "without channels there is nothing",
    "run(nn.Conv2d(4, 0, 3)": "without channels there is nothing",
    "F.group_norm": "a bias needs no weight",
    "F.multi_margin_loss(t((2, 3), 'float16'": "float16 has no rule of its own",
    "F.prelu": "a weight of shape (1, 1) has one element",
}
"""The beginning of calls that PyTorch alone refuses, and why they are taken here."""

OTHERWISE = {
    "torch.median(t((0,)))": "of no numbers, no gradient",
    "torch.median(t((2, 0)))": "of no numbers, no gradient",
    "F.binary_cross_entropy_with_logits(t((2, 3), 'float64', ''), t((2, 3), 'float32'": "the wider dtype is kept",
}
"""The beginning of calls that give something else than in PyTorch, and why."""


def is_excepted(line: str, expected: list[tuple[str, np.ndarray]] | str) -> bool:
    """Whether what a call gives may differ from what PyTorch gives."""
    return line.startswith(tuple(OTHERWISE)) or (isinstance(expected, str) and line.startswith(tuple(KINDER)))

# ruff: noqa: E501 - one mistake a line
"""Mistakes as students make them, by which the rules that name them were measured and improved."""

from __future__ import annotations

import numpy as np
from hidden_mistakes import Hidden, away, centred, one_hot, phi, positive, rowmean, rowsum, sigmoid, softmax
from hidden_mistakes import gauss_cdf as cdf
from hidden_mistakes import mistake as m

LOST = ("missing_term", "wrong_function")
PLACES = ("rearranged",)


def _std(x):
    return np.sqrt(rowmean(centred(x) ** 2) + 1e-5)


def _normed(x):
    return centred(x) / _std(x)


def _total_norm(x):
    return np.sqrt((x * x).sum())


def _column_norm(x):
    return np.sqrt((x * x).sum(axis=0))


def _set(shape, index, value):
    found = np.zeros(shape)
    found[index] = value
    return found


def _softplus(x):
    return np.log1p(np.exp(x))


def _mish(x):
    return x * np.tanh(_softplus(x))


_kept = {"table": np.ones((3, 4)), "result": np.zeros((4, 2)), "calls": np.zeros(1)}


def _scaled_result(g, x):
    _kept["result"] *= g
    return _kept["result"].copy()


def _decayed(g, x):
    _kept["table"] *= 0.9
    return g * _kept["table"]


def _counted(g, x):
    _kept["calls"] += 1
    return g * 2 * x * _kept["calls"][0]


def _zero_small(g, x):
    g[np.abs(g) < 0.8] = 0
    return g * np.cos(x)


def _overwrite_x(g, x):
    np.multiply(x, 2, out=x)
    return g * x


SEEN: list[Hidden] = [
    # ------------------------------------------------------------------ a term of a norm, of a gelu
    m("layer norm of a vector, 1/std alone", lambda x: (x - x.mean()) / np.sqrt(x.var() + 1e-5), lambda g, x: g / np.sqrt(x.var() + 1e-5), [(6,)], LOST, r"axis|computes|through"),
    m("layer norm of a vector, without mean(g)", lambda x: (x - x.mean()) / np.sqrt(x.var() + 1e-5), lambda g, x: (g - (x - x.mean()) * (g * (x - x.mean())).mean() / (x.var() + 1e-5)) / np.sqrt(x.var() + 1e-5), [(7,)], LOST, r"axis|computes|through"),
    m("layer norm, variance as a constant", _normed, lambda g, x: (g - rowmean(g)) / _std(x), [(2, 5)], LOST, r"axis|computes|through"),
    m("layer norm, mean as a constant", _normed, lambda g, x: (g - _normed(x) * rowmean(g * _normed(x))) / _std(x), [(4, 3)], LOST, r"axis|computes|through"),
    m("layer norm, sums for means", _normed, lambda g, x: (g - rowsum(g) - _normed(x) * rowsum(g * _normed(x))) / _std(x), [(4, 5)], LOST, r"computes"),
    m("layer norm over three axes", _normed, lambda g, x: g / _std(x), [(2, 3, 4)], LOST, r"axis|computes|through"),
    m("instance norm of images", lambda x: (x - x.mean((2, 3), keepdims=True)) / np.sqrt(x.var((2, 3), keepdims=True) + 1e-5), lambda g, x: g / np.sqrt(x.var((2, 3), keepdims=True) + 1e-5), [(2, 2, 3, 2)], LOST, r"axis|axes|computes|through"),
    m("batch norm of images, scale alone", lambda x: (x - x.mean((0, 2), keepdims=True)) / np.sqrt(x.var((0, 2), keepdims=True) + 1e-5), lambda g, x: g / np.sqrt(x.var((0, 2), keepdims=True) + 1e-5), [(3, 2, 4)], LOST, r"axis|axes|computes|through"),
    m("batch norm, variance as a constant", lambda x: (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), lambda g, x: (g - g.mean(0)) / np.sqrt(x.var(0) + 1e-5), [(6, 3)], LOST, r"axis|computes|through"),
    m("weight norm, direction as a constant", lambda v: v / _column_norm(v), lambda g, v: g / _column_norm(v), [(5, 3)], LOST, r"axis|computes|through"),
    m("direction of a vector", lambda x: x / _total_norm(x), lambda g, x: g / _total_norm(x), [(5,)], LOST, r"axis|computes|through"),
    m("direction of a matrix", lambda x: x / _total_norm(x), lambda g, x: g / _total_norm(x), [(2, 4)], LOST, r"axis|axes|computes|through"),
    m("direction of a matrix, sign of the second term", lambda x: x / _total_norm(x), lambda g, x: g / _total_norm(x) + x * (g * x).sum() / _total_norm(x) ** 3, [(2, 4)], LOST, r"axis|axes|computes|through|sign"),
    m("softmax of a whole matrix", lambda x: np.exp(x) / np.exp(x).sum(), lambda g, x: g * np.exp(x) / np.exp(x).sum(), [(3, 3)], LOST, r"axis|axes|computes|through"),
    m("centre over columns", lambda x: x - x.mean(axis=0), lambda g, x: 1 * g, [(4, 3)], LOST, r"axis 0"),
    m("standardised by its largest", lambda x: x / x.max(), lambda g, x: g / x.max(), [(5,)], ("missing_term", "local_error", "wrong_function"), r"through|those|computes|at 1 of|\[\d\]", draw=positive),
    m("gelu by sigmoid, second term lost", lambda x: x * sigmoid(1.702 * x), lambda g, x: g * sigmoid(1.702 * x), [(3, 4)], LOST, r"computes|through"),
    m("gelu by sigmoid, 1.702 lost", lambda x: x * sigmoid(1.702 * x), lambda g, x: g * (sigmoid(1.702 * x) + x * sigmoid(1.702 * x) * (1 - sigmoid(1.702 * x))), [(9,)], LOST, r"computes|through"),
    m("gelu by the normal, density alone", lambda x: x * cdf(x), lambda g, x: g * x * phi(x), [(3, 4)], LOST, r"computes|through"),
    m("gelu by the normal, density without its root", lambda x: x * cdf(x), lambda g, x: g * (cdf(x) + x * np.exp(-x * x / 2)), [(8,)], LOST, r"computes|through"),
    m("gelu by the normal, sign", lambda x: x * cdf(x), lambda g, x: g * (cdf(x) - x * phi(x)), [(8,)], LOST, r"computes|sign"),
    m("gelu by tanh, tanh term lost", lambda x: 0.5 * x * (1 + np.tanh(0.797885 * (x + 0.044715 * x**3))), lambda g, x: g * 0.5 * (1 + np.tanh(0.797885 * (x + 0.044715 * x**3))), [(10,)], LOST, r"computes|through"),
    m("mish, second term lost", _mish, lambda g, x: g * np.tanh(_softplus(x)), [(8,)], LOST, r"computes|through"),
    m("silu of three axes, second term lost", lambda x: x * sigmoid(x), lambda g, x: g * sigmoid(x), [(2, 2, 3)], LOST, r"computes|through"),
    m("swish with a parameter", lambda x, b: x * sigmoid(b * x), lambda g, x, b: (g * sigmoid(b * x), g * x * x * sigmoid(b * x) * (1 - sigmoid(b * x))), [(6,), (6,)], LOST, r"computes|through"),
    m("product rule of three, two terms", lambda x: x * np.sin(x) * np.exp(x), lambda g, x: g * (np.sin(x) * np.exp(x) + x * np.cos(x) * np.exp(x)), [(7,)], LOST, r"computes|through"),
    m("x squared log x, second term lost", lambda x: x * x * np.log(x), lambda g, x: g * 2 * x * np.log(x), [(3, 4)], LOST, r"computes|through", draw=positive),
    m("quotient, first term alone", lambda x: np.exp(x) / (1 + x * x), lambda g, x: g * np.exp(x) / (1 + x * x), [(6,)], LOST, r"computes|through"),
    m("entropy without the one", lambda p: -(p * np.log(p)).sum(), lambda g, p: -g * np.log(p), [(6,)], LOST, r"computes|through", draw=positive),
    m("binary cross entropy, one side", lambda p: -(0.3 * np.log(p) + 0.7 * np.log(1 - p)).mean(), lambda g, p: -g * 0.3 / p / 6, [(6,)], LOST, r"computes|through", draw=lambda rng, s: rng.uniform(0.1, 0.9, s)),
    m("sigmoid cross entropy without the label", lambda x: np.log1p(np.exp(x)) - 0.4 * x, lambda g, x: g * sigmoid(x), [(3, 4)], LOST, r"computes|through"),
    m("cross entropy, one_hot alone", lambda x: -np.log(softmax(x)[np.arange(3), [1, 0, 2]]), lambda g, x: -g[:, None] * one_hot([1, 0, 2], 3), [(3, 3)], ("missing_term", "wrong_function", "local_error"), r"computes|those|through|axis"),
    m("log softmax, sum forgotten", lambda x: np.log(softmax(x)), lambda g, x: g - softmax(x) * g, [(3, 4)], LOST, r"axis|computes|counts"),
    m("variance of all without the mean", lambda x: x.var(), lambda g, x: g * 2 * x / x.size, [(3, 4)], LOST, r"computes|mean|through"),
    m("weighted mean, weights as constants", lambda x, w: (x * w).sum() / w.sum(), lambda g, x, w: (g * w / w.sum(), g * x / w.sum()), [(5,), (5,)], LOST, r"computes|through", draw=positive),
    m("skip connection forgotten", lambda x: x + np.tanh(x), lambda g, x: g * (1 - np.tanh(x) ** 2), [(3, 4)], LOST, r"computes|through"),
    m("gated unit, gate as a constant", lambda x: x * np.tanh(x), lambda g, x: g * np.tanh(x), [(3, 4)], LOST, r"computes|through"),
    # ------------------------------------------------------------------ rows, columns, ends left out
    m("last rows of exp", np.exp, lambda g, x: _set(x.shape, np.s_[:-2], (g * np.exp(x))[:-2]), [(5, 3)], ("local_error",), r"rows 3 and 4.*left out"),
    m("all rows but the first left out", np.sin, lambda g, x: _set(x.shape, 0, (g * np.cos(x))[0]), [(5, 2)], ("local_error",), r"rows 1 to 4.*left out"),
    m("only the last row", np.sin, lambda g, x: _set(x.shape, -1, (g * np.cos(x))[-1]), [(6, 2)], ("local_error",), r"rows 0 to 4.*left out"),
    m("every third row", np.tanh, lambda g, x: _set(x.shape, np.s_[::3], (g * (1 - np.tanh(x) ** 2))[::3]), [(7, 2)], ("local_error",), r"rows 1, 2, 4 and 5.*left out"),
    m("all columns but one", np.exp, lambda g, x: _set(x.shape, np.s_[:, 2], (g * np.exp(x))[:, 2]), [(3, 5)], ("local_error",), r"columns 0, 1, 3 and 4.*left out"),
    m("one of four rows, one column each", np.exp, lambda g, x: _set(x.shape, 1, (g * np.exp(x))[1]), [(4, 1)], ("local_error",), r"rows 0, 2 and 3.*left out"),
    m("vector, only the first three", np.exp, lambda g, x: _set(x.shape, np.s_[:3], (g * np.exp(x))[:3]), [(9,)], ("local_error",), r"left out"),
    m("vector, every second", np.cos, lambda g, x: _set(x.shape, np.s_[::2], (-g * np.sin(x))[::2]), [(8,)], ("local_error",), r"left out"),
    m("vector, only one", np.cos, lambda g, x: _set(x.shape, 2, (-g * np.sin(x))[2]), [(5,)], ("local_error",), r"left out"),
    m("vector, last one", np.exp, lambda g, x: _set(x.shape, np.s_[:-1], (g * np.exp(x))[:-1]), [(4,)], ("local_error",), r"left out|\[3\]"),
    m("rows of a product left out", lambda a, b: a @ b, lambda g, a, b: (_set(a.shape, 0, (g @ b.T)[0]), a.T @ g), [(4, 3), (3, 2)], ("local_error",), r"rows 1 to 3.*left out"),
    m("columns of a weight left out", lambda a, b: a @ b, lambda g, a, b: (g @ b.T, _set(b.shape, np.s_[:, :1], (a.T @ g)[:, :1])), [(4, 3), (3, 4)], ("local_error",), r"columns 1 to 3.*left out"),
    m("rows of layer norm left out", _normed, lambda g, x: _set(x.shape, np.s_[1:], ((g - rowmean(g) - _normed(x) * rowmean(g * _normed(x))) / _std(x))[1:]), [(3, 5)], ("local_error",), r"row 0.*left out"),
    m("all rows but one of softmax left out", softmax, lambda g, x: _set(x.shape, 0, (softmax(x) * (g - rowsum(g * softmax(x))))[0]), [(4, 3)], ("local_error",), r"rows 1 to 3.*left out"),
    m("rows of a sum left out", lambda x: (x**3).sum(axis=1), lambda g, x: _set(x.shape, 0, (3 * x * x * g[:, None])[0]), [(4, 3)], ("local_error",), r"rows 1 to 3.*left out"),
    m("batch of images, first one alone", lambda x: x * x, lambda g, x: _set(x.shape, 0, (2 * g * x)[0]), [(3, 2, 2, 2)], ("local_error",), r"axis 0: 1 and 2.*left out"),
    m("border left out", lambda x: x**3, lambda g, x: _set(x.shape, np.s_[1:-1, 1:-1], (3 * g * x * x)[1:-1, 1:-1]), [(4, 5)], ("local_error",), r"left out"),
    m("upper triangle alone", np.exp, lambda g, x: np.triu(g * np.exp(x)), [(4, 4)], ("local_error",), r"left out|below"),
    m("diagonal alone", np.exp, lambda g, x: np.diag(np.diag(g * np.exp(x))), [(4, 4)], ("local_error",), r"left out|diagonal"),
    m("weights from the last sample", lambda x, w: np.tanh(x @ w), lambda g, x, w: ((g * (1 - np.tanh(x @ w) ** 2)) @ w.T, np.outer(x[-1], (g * (1 - np.tanh(x @ w) ** 2))[-1])), [(4, 3), (3, 2)], ("missing_term",), r"place 3 along axis 0"),
    m("weights without the first sample", lambda x, w: x @ w, lambda g, x, w: (g @ w.T, x[1:].T @ g[1:]), [(5, 3), (3, 2)], ("missing_term",), r"place 0 along axis 0"),
    m("weights from half of the samples", lambda x, w: x @ w, lambda g, x, w: (g @ w.T, x[:2].T @ g[:2]), [(4, 3), (3, 2)], ("missing_term",), r"places? .*along axis 0"),
    m("bias without the last sample", lambda x, b: x + b, lambda g, x, b: (g, g[:-1].sum(axis=0)), [(5, 3), (3,)], ("unreduced_broadcast", "missing_term"), r"place 4 along axis 0"),
    m("second difference, outer terms lost", lambda x: x[2:] - 2 * x[1:-1] + x[:-2], lambda g, x: np.pad(-2 * g, 1), [(7,)], LOST, r"computes|through|place|counts"),
    m("moving mean, first tap alone", lambda x: (x[:-2] + x[1:-1] + x[2:]) / 3, lambda g, x: np.pad(g / 3, (0, 2)), [(8,)], LOST, r"computes|through|place|counts"),
    # ------------------------------------------------------------------ changed in place
    m("kept result scaled in the backward", lambda x: np.copyto(_kept["result"], np.exp(x)) or _kept["result"], _scaled_result, [(4, 2)], ("inplace",), r"in place|share"),
    m("own result scaled in the backward", lambda x: _keep(np.exp(x)), lambda g, x: _spoil(g), [(4, 2)], ("inplace",), r"in place"),
    m("table that decays", lambda x: x * 1.0, _decayed, [(3, 4)], ("inplace",), r"in place|outlives"),
    m("calls counted", lambda x: x * x, _counted, [(5,)], ("inplace",), r"in place|outlives"),
    m("small upstream gradients set to 0", np.sin, _zero_small, [(4, 3)], ("inplace",), r"upstream gradient in place"),
    m("input doubled in the backward", lambda x: x * x, _overwrite_x, [(4, 3)], ("inplace",), r"input .*in place"),
    # ------------------------------------------------------------------ places and offsets
    m("concat of equal columns, both from the start", lambda a, b: np.concatenate([a, b], axis=1), lambda g, a, b: (g[:, :3], g[:, :3]), [(3, 3), (3, 3)], PLACES, r"offset"),
    m("concat of equal squares along rows", lambda a, b: np.concatenate([a, b]), lambda g, a, b: (g[:2], g[:2]), [(2, 2), (2, 2)], PLACES, r"offset"),
    m("concat, offset one too many", lambda a, b, c: np.concatenate([a, b, c]), lambda g, a, b, c: (g[:2], g[3:5], g[4:]), [(2, 3), (2, 3), (2, 3)], PLACES, r"offset"),
    m("concat, both from the end", lambda a, b: np.concatenate([a, b]), lambda g, a, b: (g[-3:], g[3:]), [(3, 3), (3, 3)], PLACES, r"offset"),
    m("concat of products", lambda a, b: np.concatenate([a * a, b * b], axis=1), lambda g, a, b: (2 * a * g[:, :2], 2 * b * g[:, :2]), [(4, 2), (4, 2)], PLACES, r"offset"),
    m("concat of three, all from the start", lambda a, b, c: np.concatenate([a, b, c], axis=1), lambda g, a, b, c: (g[:, :2], g[:, :2], g[:, :2]), [(2, 2), (2, 2), (2, 2)], PLACES, r"offset"),
    m("concat of numbers", lambda a, b: np.concatenate([a, b]), lambda g, a, b: (g[:1], g[:1]), [(1,), (1,)], PLACES, r"offset|place"),
    m("concat of one row each", lambda a, b: np.concatenate([a, b]), lambda g, a, b: (g[:1], g[:1]), [(1, 4), (1, 4)], PLACES, r"offset|place"),
    m("concat of three axes", lambda a, b: np.concatenate([a, b], axis=2), lambda g, a, b: (g[..., :2], g[..., 1:3]), [(2, 2, 2), (2, 2, 2)], PLACES, r"offset"),
    m("stack along the last axis", lambda a, b: np.stack([a, b], axis=-1), lambda g, a, b: (g[..., 0], g[..., 0]), [(3, 3), (3, 3)], PLACES, r"offset|place"),
    m("split, put at the end", lambda x: x[:3] * 1.0, lambda g, x: _set(x.shape, np.s_[-3:], g), [(7, 2)], PLACES, r"place|offset|shifted"),
    m("pad, from the corner", lambda x: np.pad(x, 2), lambda g, x: g[: x.size], [(5,)], PLACES, r"place|offset|shifted"),
    m("swapaxes, kept", lambda x: np.swapaxes(x, 0, 1) * 1.0, lambda g, x: g, [(3, 3, 2)], PLACES, r"axes"),
    m("channels last, reshaped back", lambda x: np.moveaxis(x, 0, -1) * 1.0, lambda g, x: g.reshape(x.shape), [(2, 3, 4)], PLACES, r"reshape|order|places"),
    m("rotated the same way", lambda x: np.rot90(x) * 1.0, lambda g, x: np.rot90(g), [(3, 3)], PLACES, r"reversed|axes|order|Jacobian|places"),
    m("gather, scattered by the wrong index", lambda x: x[[3, 1, 0]] * 1.0, lambda g, x: _set(x.shape, [0, 1, 3], g), [(4, 2)], PLACES, r"place|order|shifted|reversed"),
    m("gather with repeats, assigned", lambda x: x[[1, 1, 0]] ** 2, lambda g, x: _set(x.shape, [1, 1, 0], 2 * x[[1, 1, 0]] * g), [(3, 2)], ("local_error",), r"several places"),
    # ------------------------------------------------------------------ broadcast
    m("number times a vector, first", lambda x, s: x * s, lambda g, x, s: (g * s, (g * x)[0]), [(5,), ()], ("unreduced_broadcast",), r"place 0"),
    m("number times a matrix, first", lambda x, s: x * s, lambda g, x, s: (g * s, (g * x)[0, 0]), [(3, 2), ()], ("unreduced_broadcast",), r"place|copies"),
    m("number plus a matrix, last", lambda x, s: x + s, lambda g, x, s: (g, g[-1, -1]), [(3, 2), ()], ("unreduced_broadcast",), r"place|copies"),
    m("number, sum of the first row", lambda x, s: x * s, lambda g, x, s: (g * s, (g * x)[0].sum()), [(3, 4), ()], ("unreduced_broadcast",), r"place 0 along axis 0"),
    m("one in brackets, first", lambda x, s: x + s, lambda g, x, s: (g, g[:1]), [(6,), (1,)], ("unreduced_broadcast",), r"place 0"),
    m("column, last of its row", lambda x, s: x * s, lambda g, x, s: (g * s, (g * x)[:, -1:]), [(4, 3), (4, 1)], ("unreduced_broadcast",), r"place 2"),
    m("middle row", lambda x, b: x + b, lambda g, x, b: (g, g[1]), [(3, 4), (4,)], ("unreduced_broadcast",), r"place 1"),
    m("mean over columns of a scale", lambda x, s: x * s, lambda g, x, s: (g * s, (g * x).mean(axis=1, keepdims=True)), [(4, 3), (4, 1)], ("wrong_factor", "unreduced_broadcast"), r"1/3"),
    m("two axes, one summed", lambda x, b: x + b, lambda g, x, b: (g, g.sum(axis=0)[0]), [(3, 4, 2), (2,)], ("unreduced_broadcast",), r"place 0 along axis 1"),
    m("square, other axis, scaled", lambda x, b: x * b, lambda g, x, b: (g * b, (g * x).sum(axis=1)), [(3, 3), (3,)], ("unreduced_broadcast", "rearranged"), r"axis|exchanged|order"),
    m("broadcast_to of one number", lambda s: np.broadcast_to(s, (2, 3)) * 1.0, lambda g, s: g[0, 0], [()], ("unreduced_broadcast",), r"place|copies"),
    m("broadcast_to of a row", lambda b: np.broadcast_to(b, (4, 3)) * 1.0, lambda g, b: g[0], [(3,)], ("unreduced_broadcast",), r"place 0"),
    # ------------------------------------------------------------------ plain ones
    m("power without lowering", lambda x: x**4, lambda g, x: 4 * g * x**4, [(5,)], ("wrong_function",), r"computes"),
    m("arctan2, swapped", np.arctan2, lambda g, a, b: (-g * a / (a * a + b * b), g * b / (a * a + b * b)), [(5,), (5,)], ("swapped_inputs",), r"swapped", draw=away),
    m("hypot, sum for the root", np.hypot, lambda g, a, b: (g * a / (a * a + b * b), g * b / np.hypot(a, b)), [(5,), (5,)], ("wrong_function",), r"computes", draw=away),
    m("maximum, both get it", np.maximum, lambda g, a, b: (g, g * (b > a)), [(9,), (9,)], ("local_error",), r"should be 0|computes"),
    m("where, mask turned", lambda x: np.where(x > 0, 2 * x, x), lambda g, x: g * np.where(x > 0, 1, 2), [(10,)], ("wrong_function", "local_error"), r"computes"),
    m("hinge, mask forgotten", lambda x: np.maximum(0, 1 - x), lambda g, x: -g, [(10,)], ("local_error",), r"should be 0|or more|is 0", draw=lambda rng, s: np.append(rng.normal(size=8), [1.4, 2.1])),
]  # fmt: skip


def _keep(y):
    _kept["own"] = y
    return y


def _spoil(g):
    _kept["own"] *= g
    return _kept["own"].copy()

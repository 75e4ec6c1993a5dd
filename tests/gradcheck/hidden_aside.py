# ruff: noqa: E501 - one mistake a line
"""Mistakes as students make them, put aside: they were written before any rule was changed for their like."""

from __future__ import annotations

import math

import numpy as np
from hidden_mistakes import Hidden, away, centred, one_hot, phi, positive, rms, rowmean, rowsum, sigmoid, softmax
from hidden_mistakes import gauss_cdf as cdf
from hidden_mistakes import mistake as m

LOST = ("missing_term", "wrong_function")
C, K = math.sqrt(2 / math.pi), 0.044715


def _tanh_gelu(x):
    return 0.5 * x * (1 + np.tanh(C * (x + K * x**3)))


def _inner(x):
    return np.tanh(C * (x + K * x**3))


def _layer_norm(x):
    return centred(x) / np.sqrt(rowmean(centred(x) ** 2) + 1e-5)


def _std(x):
    return np.sqrt(rowmean(centred(x) ** 2) + 1e-5)


def _scatter(g, shape, index):
    found = np.zeros(shape)
    found[index] = g
    return found


def _loop_rows(g, x, rows):
    found = np.zeros_like(x)
    for k in rows:
        found[k] = g[k] * 2 * x[k]
    return found


_kept = {"sum": np.zeros((3, 4)), "count": 0}


def _spoil_result(g, x):
    y = np.exp(x)
    y *= 1
    g *= y
    return g


def _accumulate(g, x):
    _kept["sum"] += g * np.cos(x)
    return _kept["sum"].copy()


def _shift_kept(g, x):
    _kept["sum"][...] = np.roll(_kept["sum"], 1) + g
    return g * np.cos(x) + 0 * _kept["sum"] + np.sign(_kept["sum"])


def _sort_input(g, x):
    x.sort(axis=0)
    return g * 2 * x


def _clip_input(x):
    np.clip(x, -1, 1, out=x)
    return x * 3


ASIDE: list[Hidden] = [
    # ------------------------------------------------------------------ a term of a norm, of a gelu
    m("layer norm without mean(g)", _layer_norm, lambda g, x: (g - _layer_norm(x) * rowmean(g * _layer_norm(x))) / _std(x), [(3, 6)], LOST, r"mean\(g|sum\(g|computes|axis"),
    m("layer norm without mean(g y)", _layer_norm, lambda g, x: (g - rowmean(g)) / _std(x), [(3, 6)], LOST, r"mean\(g|sum\(g|axis"),
    m("layer norm, 1/std alone", _layer_norm, lambda g, x: g / _std(x), [(4, 5)], LOST, r"axis|computes|through"),
    m("layer norm, plus for minus", _layer_norm, lambda g, x: (g - rowmean(g) + _layer_norm(x) * rowmean(g * _layer_norm(x))) / _std(x), [(3, 6)], LOST, r"sign|computes"),
    m("rms norm, scale alone", rms, lambda g, x: g / np.sqrt(rowmean(x * x)), [(3, 5)], LOST, r"axis|computes|through"),
    m("rms norm of a vector", rms, lambda g, x: g / np.sqrt(rowmean(x * x)), [(6,)], LOST, r"axis|computes|through"),
    m("direction of a whole matrix", lambda x: x / np.sqrt((x * x).sum()), lambda g, x: g / np.sqrt((x * x).sum()), [(3, 4)], LOST, r"sum|axis|computes|through"),
    m("centre of a whole matrix", lambda x: x - x.mean(), lambda g, x: g, [(3, 4)], LOST, r"sum|mean|axis|computes|through"),
    m("share of a whole matrix", lambda x: x / x.sum(), lambda g, x: g / x.sum(), [(2, 5)], LOST, r"sum|axis|computes|through", draw=positive),
    m("batch norm over rows, scale alone", lambda x: (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), lambda g, x: g / np.sqrt(x.var(0) + 1e-5), [(7, 3)], LOST, r"axis|computes|through"),
    m("batch norm without mean(g)", lambda x: (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), lambda g, x: (g - (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5) * (g * (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5)).mean(0)) / np.sqrt(x.var(0) + 1e-5), [(7, 3)], LOST, r"axis|computes|mean\(g"),
    m("gelu by tanh, second term lost", _tanh_gelu, lambda g, x: g * 0.5 * (1 + _inner(x)), [(3, 4)], LOST, r"computes|through"),
    m("gelu by tanh, first term lost", _tanh_gelu, lambda g, x: g * 0.5 * x * (1 - _inner(x) ** 2) * C * (1 + 3 * K * x * x), [(8,)], LOST, r"computes|through"),
    m("gelu by tanh, cube not differentiated", _tanh_gelu, lambda g, x: g * (0.5 * (1 + _inner(x)) + 0.5 * x * (1 - _inner(x) ** 2) * C), [(3, 4)], LOST, r"computes|through"),
    m("gelu by tanh, 3 forgotten", _tanh_gelu, lambda g, x: g * (0.5 * (1 + _inner(x)) + 0.5 * x * (1 - _inner(x) ** 2) * C * (1 + K * x * x)), [(3, 4)], LOST, r"computes|through"),
    m("gelu by the normal, density lost", lambda x: x * cdf(x), lambda g, x: g * cdf(x), [(3, 4)], LOST, r"computes|through"),
    m("gelu by the normal, x of the density lost", lambda x: x * cdf(x), lambda g, x: g * (cdf(x) + phi(x)), [(3, 4)], LOST, r"computes|through"),
    m("silu, second term lost", lambda x: x * sigmoid(x), lambda g, x: g * sigmoid(x), [(9,)], LOST, r"computes|through"),
    m("silu, first term lost", lambda x: x / (1 + np.exp(-x)), lambda g, x: g * x * sigmoid(x) * (1 - sigmoid(x)), [(3, 4)], LOST, r"computes|through"),
    m("x log x without 1", lambda x: x * np.log(x), lambda g, x: g * np.log(x), [(3, 4)], LOST, r"computes|through", draw=positive),
    m("x exp(-x), second term lost", lambda x: x * np.exp(-x), lambda g, x: g * np.exp(-x), [(7,)], LOST, r"computes|through"),
    m("x sin x, sign of a term", lambda x: x * np.sin(x), lambda g, x: g * (np.sin(x) - x * np.cos(x)), [(7,)], LOST, r"computes|sign"),
    m("rational, quotient rule without a term", lambda x: x / (1 + x * x), lambda g, x: g / (1 + x * x), [(3, 4)], LOST, r"computes|through"),
    m("variance without the mean", lambda x: x.var(axis=1), lambda g, x: g[:, None] * 2 * x / 5, [(4, 5)], LOST, r"computes|mean|through"),
    m("standard deviation without its root", lambda x: x.std(axis=1), lambda g, x: g[:, None] * centred(x) / 5, [(4, 5)], LOST, r"computes|through"),
    m("norm without its division", lambda x: np.sqrt((x * x).sum(axis=1)), lambda g, x: g[:, None] * x, [(4, 5)], LOST, r"computes|through"),
    m("cosine of two vectors, one term", lambda a, b: (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()), lambda g, a, b: (g * b / np.sqrt((a * a).sum() * (b * b).sum()), g * (a / np.sqrt((a * a).sum() * (b * b).sum()) - (a * b).sum() * b / (b * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))), [(6,), (6,)], LOST, r"computes|through"),
    m("softmax with a temperature, its factor lost", lambda x: softmax(x / 0.7), lambda g, x: softmax(x / 0.7) * (g - rowsum(g * softmax(x / 0.7))), [(3, 4)], ("wrong_factor",), r"0\.7|7/10"),
    m("softmax over columns, summed over rows", lambda x: softmax(x.T).T, lambda g, x: softmax(x.T).T * (g - rowsum(g * softmax(x.T).T)), [(4, 4)], ("missing_term", "wrong_function", "rearranged"), r"axis"),
    m("log softmax, exp forgotten", lambda x: np.log(softmax(x)), lambda g, x: g - np.log(softmax(x)) * rowsum(g), [(3, 4)], LOST, r"computes"),
    m("cross entropy without the one", lambda x: -np.log(softmax(x)[np.arange(4), [0, 2, 1, 1]]), lambda g, x: g[:, None] * softmax(x), [(4, 3)], ("missing_term", "wrong_function", "local_error"), r"computes|those|through"),
    m("cross entropy, mean forgotten", lambda x: -np.log(softmax(x)[np.arange(4), [0, 2, 1, 1]]).mean(), lambda g, x: g * (softmax(x) - one_hot([0, 2, 1, 1], 3)), [(4, 3)], ("wrong_factor",), r"4 times"),
    # ------------------------------------------------------------------ rows, columns, ends left out
    m("last row of the loop", lambda x: x * x, lambda g, x: _loop_rows(g, x, range(len(x) - 1)), [(4, 3)], ("local_error",), r"row 3.*left out"),
    m("first row of the loop", lambda x: x * x, lambda g, x: _loop_rows(g, x, range(1, len(x))), [(5, 2)], ("local_error",), r"row 0.*left out"),
    m("the first row alone", lambda x: x * x, lambda g, x: _loop_rows(g, x, range(1)), [(4, 3)], ("local_error",), r"rows 1 to 3.*left out"),
    m("every second row", lambda x: x * x, lambda g, x: _loop_rows(g, x, range(0, len(x), 2)), [(6, 3)], ("local_error",), r"rows 1, 3 and 5.*left out"),
    m("last element of a vector", np.sin, lambda g, x: np.append((g * np.cos(x))[:-1], 0), [(6,)], ("local_error",), r"at 1 of 6|\[5\]|last|place 5"),
    m("first element of a vector", np.exp, lambda g, x: np.append(0, (g * np.exp(x))[1:]), [(5,)], ("local_error",), r"at 1 of 5|\[0\]|place 0"),
    m("second half of a vector", np.exp, lambda g, x: np.append((g * np.exp(x))[:4], np.zeros(4)), [(8,)], ("local_error",), r"left out|places? 4"),
    m("one sample of a batch", lambda x: x**3, lambda g, x: _scatter(3 * (g * x * x)[0], x.shape, 0), [(5, 3)], ("local_error",), r"rows 1 to 4.*left out"),
    m("one channel of three", lambda x: x**3, lambda g, x: _scatter(3 * (g * x * x)[:, :1], x.shape, np.s_[:, :1]), [(2, 3, 4)], ("local_error",), r"axis 1: 1 and 2.*left out"),
    m("last column", np.tanh, lambda g, x: np.concatenate([(g * (1 - np.tanh(x) ** 2))[:, :-1], np.zeros((4, 1))], 1), [(4, 5)], ("local_error",), r"column 4.*left out"),
    m("rows left out of a matrix product", lambda a, b: a @ b, lambda g, a, b: (_scatter((g @ b.T)[:-1], a.shape, np.s_[:-1]), a.T @ g), [(4, 3), (3, 5)], ("local_error",), r"row 3.*left out"),
    m("weights from one sample", lambda x, w: x @ w, lambda g, x, w: (g @ w.T, np.outer(x[0], g[0])), [(5, 3), (3, 2)], ("missing_term",), r"place 0 along axis 0"),
    m("weights without the last sample", lambda x, w: x @ w, lambda g, x, w: (g @ w.T, x[:-1].T @ g[:-1]), [(5, 3), (3, 2)], ("missing_term",), r"4|last"),
    m("differences, left ends alone", lambda x: x[1:] - x[:-1], lambda g, x: np.append(0, g), [(6,)], ("missing_term", "wrong_function"), r"through|computes|copies|place"),
    m("differences, right ends alone", lambda x: x[1:] - x[:-1], lambda g, x: np.append(-g, 0), [(6,)], ("missing_term", "wrong_function"), r"through|computes|place"),
    m("moving sum, one neighbour", lambda x: x[:-1] + x[1:], lambda g, x: np.append(g, 0), [(7,)], ("missing_term", "wrong_function"), r"through|computes|place"),
    m("rows left out of softmax", softmax, lambda g, x: _scatter((softmax(x) * (g - rowsum(g * softmax(x))))[:2], x.shape, np.s_[:2]), [(4, 3)], ("local_error",), r"rows 2 and 3.*left out"),
    m("sum over rows, last row left out", lambda x: (x * x).sum(axis=0), lambda g, x: _scatter((2 * x * g)[:-1], x.shape, np.s_[:-1]), [(4, 3)], ("local_error",), r"row 3.*left out"),
    m("mean over columns, first column left out", lambda x: (x * x).mean(axis=1), lambda g, x: _scatter((2 * x * g[:, None] / 4)[:, 1:], x.shape, np.s_[:, 1:]), [(3, 4)], ("local_error",), r"column 0.*left out"),
    m("pad by one, whole gradient kept from the corner", lambda x: np.pad(x, 1), lambda g, x: g[:-2, :-2], [(3, 4)], ("rearranged",), r"place|offset|start|shifted"),
    # ------------------------------------------------------------------ changed in place
    m("upstream multiplied in place", np.exp, _spoil_result, [(3, 4)], ("inplace",), r"upstream gradient in place"),
    m("gradients added to a global", np.sin, _accumulate, [(3, 4)], ("inplace",), r"in place|outlives|share"),
    m("global shifted at every call", np.sin, _shift_kept, [(3, 4)], ("inplace",), r"in place|outlives|share"),
    m("input sorted in the backward", lambda x: x * x, _sort_input, [(6, 2)], ("inplace",), r"input .*in place|in place"),
    m("input clipped in the forward", _clip_input, lambda g, x: 3 * g, [(3, 4)], ("inplace",), r"input .*in place"),
    # ------------------------------------------------------------------ places and offsets
    m("concat, second from the start", lambda a, b: np.concatenate([a, b]), lambda g, a, b: (g[:2], g[:3]), [(2, 4), (3, 4)], ("rearranged",), r"offset|place"),
    m("concat of equal parts, both from the start", lambda a, b: np.concatenate([a, b]), lambda g, a, b: (g[:3], g[:3]), [(3, 3), (3, 3)], ("rearranged",), r"offset|place"),
    m("concat of three, offset one short", lambda a, b, c: np.concatenate([a, b, c]), lambda g, a, b, c: (g[:2], g[2:4], g[3:5]), [(2, 2), (2, 2), (2, 2)], ("rearranged",), r"offset|place"),
    m("concat along columns, wrong offset", lambda a, b: np.concatenate([a, b], axis=1), lambda g, a, b: (g[:, :2], g[:, 1:4]), [(3, 2), (3, 3)], ("rearranged",), r"offset|place"),
    m("concat of squares, offset", lambda a, b: np.tanh(np.concatenate([a, b], axis=1)), lambda g, a, b: (g[:, :3] * (1 - np.tanh(a) ** 2), g[:, :3] * (1 - np.tanh(b) ** 2)), [(3, 3), (3, 3)], ("rearranged",), r"offset|place"),
    m("concat of vectors, from the start", lambda a, b: np.concatenate([a, b]), lambda g, a, b: (g[:4], g[:4]), [(4,), (4,)], ("rearranged",), r"offset|place"),
    m("concat, parts exchanged", lambda a, b: np.concatenate([a, b]), lambda g, a, b: (g[3:], g[:3]), [(3, 2), (3, 2)], ("swapped_inputs", "rearranged"), r"swapped|offset"),
    m("stack, all from the first", lambda a, b: np.stack([a, b]), lambda g, a, b: (g[0], g[0]), [(3, 2), (3, 2)], ("rearranged",), r"offset|place"),
    m("slice, put at the start", lambda x: x[2:5] * 2.0, lambda g, x: _scatter(2 * g, x.shape, np.s_[0:3]), [(7,)], ("rearranged",), r"place|offset|shifted|start"),
    m("roll in the wrong direction", lambda x: np.roll(x, 1), lambda g, x: np.roll(g, 1), [(6,)], ("rearranged",), r"shifted"),
    m("reversed, not reversed back", lambda x: x[::-1] * 1.0, lambda g, x: g, [(5,)], ("rearranged",), r"reversed"),
    m("transpose, reshaped back", lambda x: x.T * 1.0, lambda g, x: g.reshape(x.shape), [(3, 4)], ("rearranged",), r"order|reshape|places"),
    m("transpose of a square, kept", lambda x: x.T * 1.0, lambda g, x: g, [(4, 4)], ("rearranged",), r"exchanged|transposed"),
    m("cumsum, not reversed", lambda x: np.cumsum(x), lambda g, x: np.cumsum(g), [(6,)], ("rearranged",), r"Jacobian"),
    m("take with a repeated index", lambda x: x[[0, 2, 2, 1]] * 1.0, lambda g, x: _scatter(g, x.shape, [0, 2, 2, 1]), [(4,)], ("local_error",), r"several places"),
    m("permutation, not inverted", lambda x: x[[2, 0, 3, 1]] * 1.0, lambda g, x: g[[2, 0, 3, 1]], [(4,)], ("rearranged",), r"order|Jacobian|places"),
    m("repeat, first copy alone", lambda x: np.repeat(x, 2), lambda g, x: g[::2], [(4,)], ("missing_term", "unreduced_broadcast", "rearranged"), r"copies|place|counts"),
    m("tile, first copy alone", lambda x: np.tile(x, 3), lambda g, x: g[:4], [(4,)], ("missing_term", "unreduced_broadcast"), r"copies|place|counts"),
    # ------------------------------------------------------------------ broadcast
    m("bias, mean for sum", lambda x, b: x + b, lambda g, x, b: (g, g.mean(axis=0)), [(5, 3), (3,)], ("wrong_factor", "unreduced_broadcast"), r"1/5"),
    m("bias, one row", lambda x, b: x + b, lambda g, x, b: (g, g[0]), [(5, 3), (3,)], ("unreduced_broadcast",), r"place 0"),
    m("bias, last row", lambda x, b: x * b, lambda g, x, b: (g * b, (g * x)[-1]), [(5, 3), (3,)], ("unreduced_broadcast",), r"place 4"),
    m("number, first element", lambda x, b: x + b, lambda g, x, b: (g, g[0]), [(4,), ()], ("unreduced_broadcast",), r"place 0"),
    m("number, last element of a matrix", lambda x, b: x * b, lambda g, x, b: (g * b, (g * x)[-1, -1]), [(3, 4), ()], ("unreduced_broadcast",), r"place|copies"),
    m("number, mean for sum", lambda x, b: x * b, lambda g, x, b: (g * b, (g * x).mean()), [(3, 4), ()], ("wrong_factor", "unreduced_broadcast"), r"1/12"),
    m("column, first of its row", lambda x, b: x + b, lambda g, x, b: (g, g[:, :1]), [(3, 4), (3, 1)], ("unreduced_broadcast",), r"place 0"),
    m("column and row, summed over one axis of two", lambda x, b: x + b, lambda g, x, b: (g, g[0].sum(axis=0)[None]), [(2, 3, 4), (1, 4)], ("unreduced_broadcast",), r"place 0"),
    m("square broadcast, other axis", lambda x, b: x + b, lambda g, x, b: (g, g.sum(axis=1)), [(4, 4), (4,)], ("unreduced_broadcast", "rearranged"), r"axis|order|exchanged"),
    m("scale of a norm, one row", lambda x, w: _layer_norm(x) * w, lambda g, x, w: ((g * w - rowmean(g * w) - _layer_norm(x) * rowmean(g * w * _layer_norm(x))) / _std(x), (g * _layer_norm(x))[0]), [(5, 4), (4,)], ("unreduced_broadcast",), r"place 0"),
    m("one of one: number over a vector of equal parts", lambda b: np.ones(4) * b, lambda g, b: g[0], [()], ("unreduced_broadcast",), r"place 0"),
    m("outer sum, one row for all", lambda a, b: a[:, None] + b, lambda g, a, b: (g[:, 0], g[0]), [(4,), (3,)], ("unreduced_broadcast", "missing_term"), r"place 0"),
    # ------------------------------------------------------------------ plain ones, well hidden
    m("sign of the second factor", lambda a, b: a / b, lambda g, a, b: (g / b, g * a / b**2), [(6,), (6,)], ("wrong_sign",), r"wrong sign", draw=away),
    m("squared error, 2 forgotten", lambda y, t: ((y - t) ** 2).mean(), lambda g, y, t: (g * (y - t) / 6, -g * 2 * (y - t) / 6), [(6,), (6,)], ("wrong_factor",), r"1/2"),
    m("squared error, second sign", lambda y, t: ((y - t) ** 2).mean(), lambda g, y, t: (g * 2 * (y - t) / 6, g * 2 * (y - t) / 6), [(6,), (6,)], ("wrong_sign",), r"wrong sign"),
    m("swapped in a difference", lambda a, b: np.sin(a) * b, lambda g, a, b: (g * np.sin(a), g * np.cos(a) * b), [(5,), (5,)], ("swapped_inputs",), r"swapped"),
    m("upstream forgotten in one of two", lambda a, b: a * b, lambda g, a, b: (g * b, a), [(5,), (5,)], ("upstream_ignored",), r"upstream"),
    m("inner derivative forgotten", lambda x: np.exp(-x * x / 2), lambda g, x: g * np.exp(-x * x / 2), [(6,)], ("wrong_function",), r"computes|inner"),
    m("inner factor forgotten", lambda x: np.sin(3 * x), lambda g, x: g * np.cos(3 * x), [(6,)], ("wrong_factor",), r"1/3"),
    m("leaky slope on the wrong side", lambda x: np.where(x > 0, x, 0.1 * x), lambda g, x: g * np.where(x > 0, 0.1, 1), [(8,)], ("wrong_function", "local_error"), r"computes|> 0"),
    m("elu without its slope below 0", lambda x: np.where(x > 0, x, np.exp(x) - 1), lambda g, x: g * (x > 0), [(8,)], ("local_error",), r"< 0"),
    m("clip, mask forgotten", lambda x: np.clip(x, -0.8, 0.8), lambda g, x: g, [(12,)], ("local_error",), r"or more|should be 0"),
    m("max pooling, all get it", lambda x: x.reshape(4, 3).max(axis=1), lambda g, x: np.repeat(g, 3), [(12,)], ("local_error",), r"should be 0"),
    m("matmul, no transpose of a square", lambda a, b: a @ b, lambda g, a, b: (g @ b, a.T @ g), [(4, 4), (4, 4)], ("rearranged",), r"@"),
    m("bilinear, one side forgotten", lambda x: (x @ np.diag([1.0, 2.0, 3.0]) * x).sum(), lambda g, x: g * x @ np.diag([1.0, 2.0, 3.0]), [(2, 3)], ("wrong_factor",), r"1/2"),
    m("quadratic form, one term", lambda x: x @ np.arange(9.0).reshape(3, 3) @ x, lambda g, x: g * np.arange(9.0).reshape(3, 3) @ x, [(3,)], LOST, r"through|computes"),
    m("quadratic form, first row forgotten", lambda x: x**2 @ np.ones(4), lambda g, x: g * 2 * np.append(0, x[1:]), [(4,)], ("local_error",), r"\[0\]|at 1 of 4"),
    m("convolution without the flip", lambda x: np.convolve(x, [1.0, 2.0, 4.0], "same"), lambda g, x: np.convolve(g, [1.0, 2.0, 4.0], "same"), [(6,)], ("rearranged",), r"Jacobian"),
    m("convolution, last tap forgotten", lambda x: np.convolve(x, [1.0, 2.0, 4.0], "valid"), lambda g, x: np.convolve(g, [4.0, 2.0, 0.0], "full")[: x.size], [(7,)], ("missing_term", "wrong_function"), r"through|computes|counts"),
    m("None for one of two", lambda a, b: a * np.exp(b), lambda g, a, b: (g * np.exp(b), None), [(4,), (4,)], ("missing_dependency",), r"None"),
]  # fmt: skip

"""The table of operations: the names that a step may have, and those that the evaluator in a page supports."""

from __future__ import annotations

_ONE = """
copy negative absolute sign square reciprocal exp exp2 expm1 log log1p log2 log10 sqrt cbrt sin cos tan sinh cosh tanh
arcsin arccos arctan arcsinh arccosh arctanh floor ceil trunc rint isfinite isnan isinf signbit logical_not degrees
radians deg2rad rad2deg
"""
_TWO = """
add subtract multiply divide power float_power maximum minimum fmax fmin arctan2 hypot logaddexp logaddexp2 copysign
remainder fmod floor_divide heaviside less less_equal greater greater_equal equal not_equal logical_and logical_or
logical_xor
"""
UFUNCS = frozenset([*_ONE.split(), *_TWO.split()])
"""Elementwise, on operands broadcast to the shape of the step."""

REDUCTIONS = frozenset(["sum", "prod", "max", "min", "argmax"])
"""Over the last ``n`` axes of the step's shape."""

SCANS = frozenset(["cumsum", "cumprod", "sort", "argsort"])
"""Along the last axis."""

ELEMENTS = frozenset(["where", "pick", "drop", "put", "join"])
EXACT = ELEMENTS | {"copy", "negative", "absolute", "sign", "max", "min", "sort", "maximum", "minimum"}
"""Exact operations, which cannot overflow."""

LINALG = frozenset(["inv", "solve", "det", "slogdet", "cholesky", "eigh", "svd", "pinv", "qr"])
FOURIER = frozenset(["fft", "ifft", "rfft", "irfft", "real", "imag"])
"""Along the last axis; only these have complex numbers."""

ALL = UFUNCS | REDUCTIONS | SCANS | ELEMENTS | LINALG | FOURIER | {"matmul"}

PORTABLE = ALL - FOURIER - {"eigh", "svd", "pinv", "qr"}
"""The operations that the evaluator in a page supports."""

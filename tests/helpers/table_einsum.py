"""The row of einsum."""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, cases_with, dtype_of, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row

_X = Variable(np.ones((2, 3)))


def _einsum(*operands: Any, subscripts: str) -> Any:
    """Repeated letters are beyond autograd: their diagonals are taken before, by a product with the identity."""
    terms, arrow, out = subscripts.partition("->")
    labels, factors = [], []
    for term, x in zip(terms.split(","), operands, strict=True):
        for i, letter in enumerate(term):
            if letter != "." and letter in term[:i]:
                fresh = chr(ord("A") + len(labels) + 5 * i)
                term = term[:i] + fresh + term[i + 1 :]
                labels.append(letter + fresh)
                factors.append(np.eye(x.shape[i], dtype=dtype_of(x)))
        labels.append(term)
        factors.append(x)
    out = out if arrow else "".join(sorted(letter for letter in set(terms) - {","} if terms.count(letter) == 1))
    return anp.einsum(",".join(labels) + "->" + out, *factors)


_SUBSCRIPTS: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...] = (
    ("ij,jk->ik", ((2, 3), (3, 4))),
    ("ij,jk", ((2, 3), (3, 4))),
    ("ij,j->i", ((2, 3), (3,))),
    ("i,i->", ((4,), (4,))),
    ("i,j->ji", ((2,), (3,))),
    ("ij->ji", ((2, 3),)),
    ("ba", ((2, 3),)),
    ("ij->", ((2, 3),)),
    ("ij->j", ((2, 3),)),
    ("ij->j", ((1, 3),)),
    ("bi,ij,bk->j", ((1, 2), (2, 3), (1, 1))),
    ("ii", ((3, 3),)),
    ("ii->i", ((3, 3),)),
    ("iij->j", ((2, 2, 3),)),
    ("iii->i", ((2, 2, 2),)),
    ("ijij->", ((2, 3, 2, 3),)),
    ("iij,j->ij", ((2, 2, 3), (3,))),
    ("bij,bjk->bik", ((2, 2, 3), (2, 3, 2))),
    ("i,i,i->i", ((3,), (3,), (3,))),
    ("i,jk,k->i", ((2,), (3, 2), (2,))),
    ("ij,kl->i", ((2, 3), (2, 2))),
    ("...ij,...jk->...ik", ((2, 2, 3), (2, 3, 2))),
    ("...ij,...jk->...ik", ((3, 1, 2, 3), (2, 3, 2))),
    ("...i->...", ((2, 3),)),
    (",->", ((), ())),
    ("ij,jk->ik", ((0, 3), (3, 4))),
    ("ij,jk->ik", ((2, 0), (0, 4))),
)

ROWS = (
    Row(
        F.einsum,
        _einsum,
        (
            *cases_with(*[(text, shapes, {"subscripts": text}) for text, shapes in _SUBSCRIPTS]),
            Case("a value with itself", arrays((3, 3)), lambda f, x: f(x, x, subscripts="ij,jk->ik")),
            *layouts((5, 4), call=lambda f, x: f(x, x, subscripts="ij,kj->ik")),
        ),
        (
            Bad(
                lambda: F.einsum(_X, _X, subscripts="ij,jk"),
                ValueError,
                r"einsum: operands\[0\] has shape \(2, 3\), op",
            ),
            Bad(lambda: F.einsum(_X, subscripts="ij,jk"), ValueError, r"einsum: operands\[0\] has shape \(2, 3\)"),
            Bad(lambda: F.einsum(_X, subscripts="ij->k"), ValueError, "einsum: .*k"),
            Bad(lambda: F.einsum(_X, _X), TypeError, "subscripts"),
            Bad(
                lambda: np.einsum(_X, [0, 52]), ValueError, "einsum: an axis is 52; expected a number from 0 to 51, or"
            ),
            Bad(lambda: np.einsum("ij", _X, dtype=float), TypeError, "numpy.einsum on a Variable: .*dtype"),
        ),
        mixed=True,
        exact=False,
    ),
)

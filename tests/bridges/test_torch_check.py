"""check_gradients of torch functions, modules and Functions: right ones pass, wrong ones are named."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")

from torch import nn
from wrong_functions import WRONG, Function, matrix, x, y

import autolab
from autolab.bridges.torch import check_gradients

UNNAMED = {"wrong_function"}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_backward_is_caught_and_named(name):
    cls, args, kind = WRONG[name]
    report = check_gradients(cls, *args)
    assert report.verdict == "wrong"
    found = report.findings[0]
    assert found.kind == kind
    assert found.kind not in UNNAMED or found.evidence.get("cause") not in (None, "scalar")  # a cause of its own
    assert "wrong_functions.py" in report.findings[0].hint


def test_there_are_twelve():
    assert len(WRONG) >= 12


def test_a_forgotten_way_is_named_by_its_function():
    report = check_gradients(WRONG["Damped"][0], x)
    assert "exp" in report.findings[0].message
    chained = check_gradients(WRONG["Chained"][0], x)
    assert "pow" in chained.findings[0].message


def test_functions_that_apply_one_are_checked_as_well():
    cls = WRONG["Square"][0]
    report = check_gradients(lambda x: cls.apply(x).sum(), x)
    assert (report.verdict, report.findings[0].kind) == ("wrong", "wrong_factor")
    assert vars(cls).get("apply") is None


class Right(Function):
    @staticmethod
    def forward(x, y):
        return torch.sin(x) * y, x + y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * torch.cos(x) * y + h, g * torch.sin(x) + h


@pytest.mark.parametrize("order", [1, 2])
def test_a_right_one_passes(order):
    assert check_gradients(Right, x, y, order=order).verdict == "right"
    assert check_gradients(lambda a: torch.softmax(a, 1) @ a.T, matrix, order=order).verdict == "right"


def test_second_derivatives_are_checked():
    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = x.detach()  # no graph leads to it
            return x**3

        @staticmethod
        def backward(ctx, g):
            return g * 3 * ctx.x**2

    assert check_gradients(Once, x).verdict == "right"
    assert check_gradients(Once, x, order=2).verdict == "wrong"


def test_parameters_of_a_module_are_checked():
    net = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.BatchNorm1d(3))
    own = list(net.buffers())
    before = [b.clone() for b in own]
    report = check_gradients(net, torch.randn(5, 4))
    assert report.verdict == "right"
    assert [item.name for item in report.inputs] == ["input", "0.weight", "0.bias", "2.weight", "2.bias"]
    assert all(torch.equal(a, b) for a, b in zip(before, net.buffers(), strict=True))
    assert all(a is b for a, b in zip(own, net.buffers(), strict=True))
    assert all(p.grad is None for p in net.parameters())


def test_random_functions_cannot_be_told():
    assert check_gradients(lambda x: nn.functional.dropout(x, 0.5), torch.ones(50)).verdict == "cannot tell"


STEPS = {
    "round": lambda x: torch.round(x, decimals=3),
    "floor": lambda x: torch.floor(x * 1e4) / 1e4,
    "ceil": lambda x: torch.ceil(x * 1e4).sin(),
    "a division": lambda x: torch.div(x, 1e-3, rounding_mode="trunc") * 1e-3,
}


@pytest.mark.parametrize("fn", STEPS.values(), ids=STEPS)
def test_narrow_steps_are_not_taken_for_a_slope_that_was_forgotten(fn):
    numbers = 5 * torch.randn(20, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert check_gradients(fn, numbers).verdict == "right"
    assert check_gradients(lambda x: fn(x) * 0 + x.detach(), numbers).verdict == "wrong"


@pytest.mark.parametrize("fn", [torch.linalg.cholesky, lambda x: torch.linalg.eigvalsh(x, UPLO="U")])
def test_functions_of_symmetric_matrices_are_not_accused(fn):
    a = torch.randn(4, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    matrix = a @ a.mT + torch.eye(4)
    assert check_gradients(fn, matrix).verdict == "cannot tell"
    assert check_gradients(lambda x: fn((x + x.mT) / 2), matrix).verdict == "right"


LOWER = torch.tensor([[2.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-0.7, 0.3, 1.0]], dtype=torch.float64)


@pytest.mark.parametrize(
    ("fn", "matrix", "only"),
    [
        (torch.cholesky_inverse, LOWER, torch.tril),
        (lambda x: torch.cholesky_solve(LOWER[:, :2], x), LOWER, torch.tril),
        (lambda x: torch.linalg.pinv(x, hermitian=True), LOWER @ LOWER.mT, lambda x: (x + x.mT) / 2),
        (torch.linalg.eigvalsh, LOWER, lambda x: (x + x.mT) / 2),
    ],
    ids=["cholesky_inverse", "cholesky_solve", "pinv", "eigvalsh of any matrix"],
)
def test_gradients_of_numbers_that_a_function_of_torch_does_not_read_are_not_accused(fn, matrix, only):
    report = check_gradients(fn, matrix)
    assert report.verdict == "cannot tell" and "reads one triangle of" in report.findings[0].message
    assert check_gradients(lambda x: fn(only(x)), matrix).verdict == "right"


class Lower(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.tril(x) * 3

    @staticmethod
    def backward(ctx, g):
        return g * 3  # also above the diagonal


def test_a_backward_that_a_student_wrote_is_accused_of_them():
    assert check_gradients(Lower, LOWER).verdict == "wrong"


def test_it_says_what_is_wrong_with_its_arguments():
    with pytest.raises(ValueError, match="order is 0; expected 1, 2"):
        check_gradients(Right, x, y, order=0)
    with pytest.raises(TypeError, match="returned no tensor of floats"):
        check_gradients(lambda x: x > 0, x)
    with pytest.raises(TypeError, match="does not take these inputs"):
        check_gradients(Right, x)


def test_the_report_shows_itself():
    report = autolab.check_gradients(WRONG["Cosine"][0], x)
    assert "wrong" in str(report)
    assert "Cosine" in report._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("given", [False, True], ids=["closed over", "argument"])
def test_modules_that_a_function_uses_are_not_trained(given, order):
    norm = nn.BatchNorm1d(2)
    rows = torch.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, -1.0]])
    own = dict(norm.named_buffers())
    kept = {name: buffer.clone() for name, buffer in own.items()}
    fn = (lambda m, x: (m(x) * x).sum()) if given else (lambda x: (norm(x) * x).sum())
    assert check_gradients(fn, *([norm] if given else []), rows, order=order).verdict != "wrong"
    for name, buffer in norm.named_buffers():
        assert buffer is own[name] and torch.equal(buffer, kept[name])


def test_modules_among_the_arguments_are_checked_and_omitted_defaults_have_no_gradient():
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w, eps=0.5):
            ctx.save_for_backward(x, w)
            return x * w + eps

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return g * w, factor * (g * x).sum(0)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64))

        def forward(self, x):
            return Scale.apply(x, self.w)

    x, net = torch.linspace(-1, 1, 6, dtype=torch.float64).reshape(2, 3), Net()
    for factor in (1.0, 2.0):
        expected = "right" if factor == 1.0 else "wrong"
        assert autolab.check_gradients(Scale, x, net.w.detach()).verdict == expected
        for report in (
            autolab.check_gradients(lambda m, x: m(x).pow(2).sum(), net, x),
            autolab.check_gradients(lambda x, m: m(x).pow(2).sum(), x, m=net),
        ):
            assert {item.name: item.verdict for item in report.inputs} == {"x": "right", "m.w": expected}

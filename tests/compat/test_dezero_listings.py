"""Programs in the words of DeZero's documents: they print what the documents print, under the original names."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.checkout import ROOT

HEAD = "import numpy as np\nfrom dezero import Function, Parameter, Variable\nimport dezero.functions as F\n"

LISTINGS = {
    "a first graph": (
        "x = Variable(np.array(1.0))\ny = (x + 3) ** 2\ny.backward()\nprint(y)\nprint(x.grad)",
        "variable(16.0)\nvariable(8.0)",
    ),
    "Goldstein and Price": (
        """
def goldstein(x, y):
    first = 1 + (x + y + 1) ** 2 * (19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2)
    return first * (30 + (2 * x - 3 * y) ** 2 * (18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2))

x, y = Variable(np.array(1.0)), Variable(np.array(1.0))
goldstein(x, y).backward()
print(x.grad, y.grad)
""",
        "variable(-5376.0) variable(8064.0)",
    ),
    "a sine of one's own, whose gradient is computed with NumPy": (
        """
class Sin(Function):
    def forward(self, x):
        return np.sin(x)

    def backward(self, gy):
        x = self.inputs[0].data
        return gy * np.cos(x)

x = Variable(np.array(np.pi / 4))
y = Sin()(x)
y.backward()
print(y.data, x.grad)
""",
        "0.7071067811865475 variable(0.7071067811865476)",
    ),
    "its Taylor series": (
        """
import math
x = Variable(np.array(np.pi / 4))
y = 0
for i in range(100000):
    t = (-1) ** i / math.factorial(2 * i + 1) * x ** (2 * i + 1)
    y = y + t
    if abs(t.data) < 0.0001:
        break
y.backward()
print(y.data, x.grad)
""",
        "0.7071064695751781 variable(0.7071032148228457)",
    ),
    "Newton's method": (
        """
x = Variable(np.array(2.0))
for i in range(7):
    print(i, x)
    y = x**4 - 2 * x**2
    x.cleargrad()
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    gx.backward()
    x.data -= gx.data / x.grad.data
""",
        "0 variable(2.0)\n1 variable(1.4545454545454546)\n2 variable(1.1510467893775467)\n"
        "3 variable(1.0253259289766978)\n4 variable(1.0009084519430513)\n5 variable(1.0000012353089454)\n"
        "6 variable(1.000000000002289)",
    ),
    "a gradient in a loss": (
        """
x = Variable(np.array(2.0))
y = x**2
y.backward(create_graph=True)
gx = x.grad
x.cleargrad()
z = gx**3 + y
z.backward()
print(x.grad)
""",
        "variable(100.0)",
    ),
    "tensors of integers": (
        """
x, c = Variable(np.array([[1, 2, 3], [4, 5, 6]])), Variable(np.array([[10, 20, 30], [40, 50, 60]]))
t = x + c
y = F.sum(t)
y.backward(retain_grad=True)
print(y.grad, t.grad, x.grad, c.grad, sep="\\n")
""",
        "variable(1)" + 3 * "\nvariable([[1 1 1]\n          [1 1 1]])",
    ),
    "reshape and transpose": (
        """
x = Variable(np.array([[1, 2, 3], [4, 5, 6]]))
y = F.reshape(x, (6,))
y.backward(retain_grad=True)
print(x.grad)
x.cleargrad()
y = x.T
y.backward()
print(y, x.grad, sep="\\n")
""",
        "variable([[1 1 1]\n          [1 1 1]])\nvariable([[1 4]\n          [2 5]\n          [3 6]])\n"
        "variable([[1 1 1]\n          [1 1 1]])",
    ),
    "sums and what is broadcast": (
        """
x = Variable(np.array([1, 2, 3, 4, 5, 6]))
y = F.sum(x)
y.backward()
print(y, x.grad)
x = Variable(np.array([[1, 2, 3], [4, 5, 6]]))
y = F.sum(x, axis=0)
y.backward()
print(y, x.grad, Variable(np.random.randn(2, 3, 4, 5)).sum(keepdims=True).shape)
x0, x1 = Variable(np.array([1, 2, 3])), Variable(np.array([10]))
y = x0 + x1
y.backward()
print(y, x1.grad)
""",
        "variable(21) variable([1 1 1 1 1 1])\n"
        "variable([5 7 9]) variable([[1 1 1]\n          [1 1 1]]) (1, 1, 1, 1)\nvariable([11 12 13]) variable([3])",
    ),
    "regression with a hidden layer": (
        """
np.random.seed(0)
x = np.random.rand(100, 1)
y = np.sin(2 * np.pi * x) + np.random.rand(100, 1)
W1, b1 = Variable(0.01 * np.random.randn(1, 10)), Variable(np.zeros(10))
W2, b2 = Variable(0.01 * np.random.randn(10, 1)), Variable(np.zeros(1))
for i in range(2001):
    loss = F.mean_squared_error(y, F.linear(F.sigmoid(F.linear(x, W1, b1)), W2, b2))
    for p in (W1, b1, W2, b2):
        p.cleargrad()
    loss.backward()
    for p in (W1, b1, W2, b2):
        p.data -= 0.2 * p.grad.data
    if i % 1000 == 0:
        print(f"{float(loss.data):.9f}")
""",
        "0.847369585\n0.251428629\n0.247594855",
    ),
    "slices, and one row twice": (
        """
x = Variable(np.array([[1, 2, 3], [4, 5, 6]]))
y = F.get_item(x, np.array([0, 0, 1]))
y.backward()
print(x[1], y, x.grad, x[:, 2], sep="\\n")
""",
        "variable([4 5 6])\nvariable([[1 2 3]\n          [1 2 3]\n          [4 5 6]])\n"
        "variable([[2 2 2]\n          [1 1 1]])\nvariable([3 6])",
    ),
    "names and parameters": (
        """
from dezero import Layer, as_variable
x, p = Variable(np.array(1.0)), Parameter(np.array(2.0))
print(isinstance(p, Parameter), isinstance(x, Parameter), isinstance(x * p, Parameter))
layer = Layer()
layer.p1, layer.p2, layer.p3, layer.p4 = p, Parameter(np.array(2)), Variable(np.array(3)), "test"
print([q.data.tolist() for q in layer.params()], as_variable(np.array([1, 2])))
try:
    Variable(1.0)
except TypeError as error:
    print(error)
""",
        "True False False\n[2.0, 2] variable([1 2])\n<class 'float'> is not supported",
    ),
}


@pytest.mark.source("DZ-20", "DZ-23", "DZ-24", "DZ-25", "DZ-26", "DZ-30", "DZ-33", "DZ-34", "DZ-40", "X7")
@pytest.mark.parametrize("name", LISTINGS)
def test_a_listing_prints_what_the_document_prints(dezero, capsys, name):
    program, printed = LISTINGS[name]
    exec(compile(HEAD + program, f"<{name}>", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.rstrip("\n") == printed


SCRIPT = """
if '__file__' in globals():
    import os, sys
    sys.path.append(os.path.join(os.path.dirname(__file__), '..'))
import math
import dezero
from dezero import DataLoader, optimizers
import dezero.functions as F
from dezero.models import MLP

train_set = dezero.datasets.Spiral(train=True)
train_loader = DataLoader(train_set, 30)
test_loader = DataLoader(dezero.datasets.Spiral(train=False), 30, shuffle=False)
model = MLP((10, 3))
optimizer = optimizers.SGD(1.0).setup(model)
for epoch in range(int(sys.argv[1])):
    for x, t in train_loader:
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
right = 0
with dezero.no_grad():
    for x, t in test_loader:
        right += float(F.accuracy(model(x), t).data) * len(t)
print(f'{right / 300:.2f}')
model.save_weights('spiral.npz')
"""


def test_a_script_trains_as_it_is(tmp_path):
    (tmp_path / "steps").mkdir()
    (tmp_path / "steps" / "step50.py").write_text(SCRIPT, "utf-8")
    command = [sys.executable, "-W", "error", "-m", "autolab.compat", "dezero", "steps/step50.py", "100"]
    answer = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert float(answer.stdout) > 0.85 and (tmp_path / "spiral.npz").exists()

"""The listings of the documents on Chainer, written anew and corrected, as scripts that run under the original names.

What they print is what the documents print. The corrections are those of the list of traps (T-...).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT

OLD_STYLE = """
import math
import numpy as np
import chainer
from chainer import Function, Variable, cuda, gradient_check, initializers, testing
import chainer.functions as F

class MulAdd(Function):
    def forward_cpu(self, inputs):
        x, y, z = inputs
        return x * y + z,
    def backward_cpu(self, inputs, grad_outputs):
        x, y, z = inputs
        gw, = grad_outputs
        return y * gw, x * gw, gw
    def forward_gpu(self, inputs):  # T-000-3: for every dtype
        return cuda.elementwise('T x, T y, T z', 'T w', 'w = x * y + z', 'muladd_fwd')(*inputs),
    def backward_gpu(self, inputs, grad_outputs):
        kernel = cuda.elementwise('T x, T y, T gw', 'T gx, T gy', 'gx = y * gw; gy = x * gw', 'muladd_bwd')
        gx, gy = kernel(inputs[0], inputs[1], grad_outputs[0])
        return gx, gy, grad_outputs[0]

def muladd(x, y, z):
    return MulAdd()(x, y, z)

x, y, z = [Variable(np.random.uniform(-1, 1, (3, 2)).astype(np.float32)) for _ in range(3)]
print(muladd(x, y, z).shape)

class ExpAdd(Function):
    def forward(self, inputs):
        xp = cuda.get_array_module(*inputs)
        self.exp = [xp.exp(a) for a in inputs]
        return self.exp[0] + self.exp[1],
    def backward(self, inputs, grad_outputs):
        gz, = grad_outputs
        return gz * self.exp[0], gz * self.exp[1]

one = Variable(np.zeros((1,), np.float32))
total = ExpAdd()(one, one)
total.backward()
print(total, one.grad)

def dropout(x):
    xp = cuda.get_array_module(x.data)
    mask = 2 * (xp.random.rand(*x.shape) > 0.5).astype(x.dtype)
    return x * mask

print(sorted(set(dropout(Variable(np.ones(100, np.float32))).data.tolist())))

class LinearFunction(Function):
    def forward(self, inputs):
        x, W, b = inputs
        return x.dot(W.T) + b,
    def backward(self, inputs, grad_outputs):
        x, W, b = inputs
        gy, = grad_outputs
        return gy.dot(W), gy.T.dot(x), gy.sum(axis=0)

class Linear(chainer.Link):  # T-000-1: math and initializers are imported
    def __init__(self, in_size, out_size):
        super(Linear, self).__init__()
        with self.init_scope():
            self.W = chainer.Parameter(initializers.Normal(1. / math.sqrt(in_size)), (out_size, in_size))
            self.b = chainer.Parameter(0, (out_size,))
    def __call__(self, x):
        return LinearFunction()(x, self.W, self.b)

layer = Linear(3, 2)
print(layer(Variable(np.ones((4, 3), np.float32))).shape, [name for name, _ in layer.namedparams()])

x = np.random.uniform(0.1, 1, (3, 2)).astype(np.float32)  # T-000-6: away from the kink
gy = np.random.uniform(-1, 1, (3, 2)).astype(np.float32)
v = Variable(x)
out = F.relu(v)
out.grad = gy
out.backward()  # T-000-4: the start gradient is there afterwards
gx, = gradient_check.numerical_grad(lambda: (F.relu(v).data,), (v.data,), (out.grad,))
testing.assert_allclose(gx, v.grad, atol=1e-3)
gradient_check.check_backward(F.relu, x, gy, eps=1e-2)
print('OK')
"""

NEW_STYLE = """
import numpy as np
from chainer import FunctionNode, Variable, backend, gradient_check
from chainer.backends import cuda
import chainer.functions as F

class MulAdd(FunctionNode):  # T-001-1: the signature of a FunctionNode, and retained inputs
    def forward(self, inputs):
        self.retain_inputs((0, 1))
        x, y, z = inputs
        return x * y + z,
    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        gw, = grad_outputs
        return y * gw, x * gw, gw

def muladd(x, y, z):  # T-001-3: apply gives a tuple
    w, = MulAdd().apply((x, y, z))
    return w

class ExpAdd(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0, 1))
        xp = backend.get_array_module(*inputs)
        x, y = inputs
        return xp.exp(x) + xp.exp(y),
    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        gz, = grad_outputs
        return gz * F.exp(x), gz * F.exp(y)

class Kernel(FunctionNode):  # T-001-4, T-001-5: all three are retained; elementwise is that of cuda
    def forward_cpu(self, inputs):
        self.retain_inputs((0, 1, 2))
        x, y, z = inputs
        return x * y + z,
    def forward_gpu(self, inputs):
        self.retain_inputs((0, 1, 2))
        return cuda.elementwise('T x, T y, T z', 'T w', 'w = x * y + z', 'muladd_fwd')(*inputs),
    def backward(self, target_input_indexes, grad_outputs):
        x, y, z = self.get_retained_inputs()
        return KernelGrad().apply((x, y, z, grad_outputs[0]))

class KernelGrad(FunctionNode):  # T-001-7: once differentiable
    def forward_cpu(self, inputs):
        x, y, z, gw = inputs
        return y * gw, x * gw, gw
    def backward(self, target_input_indexes, grad_outputs):
        raise NotImplementedError()

class LinearFunction(FunctionNode):  # T-001-2
    def forward(self, inputs):
        self.retain_inputs((0, 1))
        x, W, b = inputs
        return x.dot(W.T) + b,
    def backward(self, target_input_indexes, grad_outputs):
        x, W = self.get_retained_inputs()
        gy, = grad_outputs
        return F.matmul(gy, W), F.matmul(gy, x, transa=True), F.sum(gy, axis=0)

rng = np.random.RandomState(0)
a, b, c, g = [rng.uniform(-1, 1, (3, 2)) for _ in range(4)]
x, y, z = Variable(np.array([2.])), Variable(np.array([3.])), Variable(np.array([4.]))
w = muladd(x, y, z)
w.backward()
print(w, x.grad, y.grad, z.grad)
gradient_check.check_backward(muladd, (a, b, c), g)
gradient_check.check_double_backward(muladd, (a, b, c), g, (a, b, c))
gradient_check.check_double_backward(lambda x, y: ExpAdd().apply((x, y))[0], (a, b), g, (a, b))
gradient_check.check_backward(lambda x, y, z: Kernel().apply((x, y, z))[0], (a, b, c), g)
try:
    gradient_check.check_double_backward(lambda x, y, z: Kernel().apply((x, y, z))[0], (a, b, c), g, (a, b, c))
except NotImplementedError:
    print('once')
W, bias = rng.uniform(-1, 1, (4, 2)), rng.uniform(-1, 1, 4)
gradient_check.check_backward(lambda *v: LinearFunction().apply(v)[0], (a, W, bias), np.ones((3, 4)))
print('OK')
"""

INTRODUCTION = """
import numpy as np
import chainer
from chainer import Chain, ChainList, Link, Variable, datasets, iterators, optimizers, report, serializers, training
from chainer.training import extensions  # T-004-1
import chainer.functions as F
import chainer.links as L

x = Variable(np.array([5], dtype=np.float32))
y = x**2 - 2 * x + 1
print(repr(y.data))
y.backward()
print(repr(x.grad))
z = 2 * x
y = x**2 - z + 1
y.backward()
print(z.grad)
y.backward(retain_grad=True)
print(repr(z.grad))
x = Variable(np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32))
y = x**2 - 2 * x + 1
y.grad = np.ones((2, 3), dtype=np.float32)
y.backward()
print(repr(x.grad))

f = L.Linear(3, 2)
print(f.W.data.shape, repr(f.b.data))
y = f(x)
f.cleargrads()
y.grad = np.ones((2, 2), dtype=np.float32)  # T-004-4: of y
y.backward()
print(repr(f.W.grad))
print(repr(f.b.grad))
g = L.Linear(2)
print(g.W.data)  # T-004-2

class MyChain2(ChainList):  # T-004-3
    def __init__(self):
        super(MyChain2, self).__init__(L.Linear(4, 3), L.Linear(3, 2))
    def __call__(self, x):
        return self[1](self[0](x))

model = MyChain2()
optimizer = optimizers.SGD()
optimizer.setup(model)
optimizer.add_hook(chainer.optimizer.WeightDecay(0.0005))
data = np.random.uniform(-1, 1, (2, 4)).astype(np.float32)
model.cleargrads()
loss = F.sum(model(chainer.Variable(data)))
loss.backward()
optimizer.update()
optimizer.update(lambda arg: F.sum(model(arg)), data)

class MLP(Chain):
    def __init__(self, n_units, n_out):
        super(MLP, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, n_units)
            self.l2 = L.Linear(None, n_out)
    def __call__(self, x):
        return self.l2(F.relu(self.l1(x)))

class Classifier(Chain):
    def __init__(self, predictor):
        super(Classifier, self).__init__()
        with self.init_scope():
            self.predictor = predictor
    def __call__(self, x, t):
        y = self.predictor(x)
        loss = F.softmax_cross_entropy(y, t)
        report({'loss': loss, 'accuracy': F.accuracy(y, t)}, self)
        return loss

images = np.random.rand(40, 8).astype(np.float32)
train = test = datasets.TupleDataset(images, (images[:, 0] > 0.5).astype(np.int32))
model = Classifier(MLP(10, 2))
optimizer = optimizers.SGD()
optimizer.setup(model)
updater = training.StandardUpdater(iterators.SerialIterator(train, batch_size=10, shuffle=True), optimizer)
trainer = training.Trainer(updater, (2, 'epoch'), out='result')
trainer.extend(extensions.Evaluator(iterators.SerialIterator(test, 10, repeat=False, shuffle=False), model))
trainer.extend(extensions.LogReport())
trainer.extend(extensions.PrintReport(['epoch', 'main/accuracy', 'validation/main/accuracy']))
trainer.run()
serializers.save_npz('my.model', model)
serializers.load_npz('my.model', model)
serializers.save_npz('my.state', optimizer)
serializers.load_npz('my.state', optimizer)
"""

PRINTED_OLD = """\
(3, 2)
variable([2.]) [2.]
[0.0, 2.0]
(4, 2) ['/W', '/b']
OK
"""
PRINTED_NEW = """\
variable([10.]) [3.] [2.] [1.]
once
OK
"""
PRINTED_INTRODUCTION = """\
array([16.], dtype=float32)
array([8.], dtype=float32)
None
array([-1.], dtype=float32)
array([[ 0.,  2.,  4.],
       [ 6.,  8., 10.]], dtype=float32)
(2, 3) array([0., 0.], dtype=float32)
array([[5., 7., 9.],
       [5., 7., 9.]], dtype=float32)
array([2., 2.], dtype=float32)
None
"""


def printed_by(source: str, folder: Path) -> str:
    (folder / "script.py").write_text(source, "utf-8")
    command = [sys.executable, "-W", "error", "-m", "autolab.compat", "chainer", "script.py"]
    done = subprocess.run(command, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.source("T-000-1", "T-000-3", "T-000-4", "T-000-6")
def test_document_000(tmp_path):
    assert printed_by(OLD_STYLE, tmp_path) == PRINTED_OLD


@pytest.mark.source("T-001-1", "T-001-2", "T-001-3", "T-001-4", "T-001-5", "T-001-7")
def test_document_001(tmp_path):
    assert printed_by(NEW_STYLE, tmp_path) == PRINTED_NEW


@pytest.mark.source("T-004-1", "T-004-2", "T-004-3", "T-004-4")
def test_document_004(tmp_path):
    printed = printed_by(INTRODUCTION, tmp_path)
    assert printed.startswith(PRINTED_INTRODUCTION)
    table = [line.split() for line in printed.removeprefix(PRINTED_INTRODUCTION).splitlines()]
    assert table[0] == ["epoch", "main/accuracy", "validation/main/accuracy"]
    assert [row[0] for row in table[1:]] == ["1", "2"]
    assert {path.name for path in tmp_path.iterdir()} == {"script.py", "result", "my.model", "my.state"}
    assert (tmp_path / "result" / "log").exists()

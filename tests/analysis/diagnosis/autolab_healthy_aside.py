"""Healthy programs in AutoLab that were put aside."""

from __future__ import annotations

import numpy as np

from autolab import Link, Parameter, Sequential, optimizers
from autolab import functions as F
from autolab import links as L
from diagnosis.case import healthy


def _draw(*shape):
    return np.random.randn(*shape).astype(np.float32)


def _clusters(n=40, features=6, classes=4):
    label = np.random.randint(0, classes, n)
    return _draw(n, features) + 3 * np.eye(classes, features, dtype=np.float32)[label], label


def _net(a=6, hidden=24, b=4):
    return Sequential(L.Linear(a, hidden), F.silu, L.Linear(hidden, b))


def _ce(net, x, t):
    return F.softmax_cross_entropy(net(x), t)


@healthy
def metrics_logged_beside_the_loss():
    log = {"accuracy": [], "loss": []}

    def loss_fn(net, x, t):
        y = net(x)
        loss = F.softmax_cross_entropy(y, t)
        log["accuracy"].append(float((y.data.argmax(axis=1) == t).mean()))
        log["loss"].append(loss.item())
        return loss

    return loss_fn, _net(), *_clusters()


@healthy
def low_rank_adapter_on_a_frozen_layer():
    class LoRA(Link):
        def __init__(self):
            super().__init__()
            self.base, self.head = L.Linear(6, 24), L.Linear(24, 4)
            self.base.freeze()
            self.a, self.b = Parameter(_draw(6, 2) / 2), Parameter(np.zeros((2, 24), np.float32))

        def forward(self, x):
            return self.head(F.relu(self.base(x) + x @ self.a @ self.b))

    return _ce, LoRA(), *_clusters()


@healthy
def linear_autoencoder():
    x = _draw(40, 2) @ _draw(2, 8)
    return lambda net, x: F.mean_squared_error(net(x), x), Sequential(L.Linear(8, 2), L.Linear(2, 8)), x


@healthy
def matrix_factorisation():
    class Factors(Link):
        def __init__(self):
            super().__init__()
            self.user, self.item = L.Embedding(10, 4), L.Embedding(12, 4)

        def forward(self, u, i):
            return F.sum(self.user(u) * self.item(i), axis=1)

    u, i = np.random.randint(0, 10, 60), np.random.randint(0, 12, 60)
    return lambda net, u, i, r: F.mean_squared_error(net(u, i), r), Factors(), u, i, 3 + np.abs(_draw(60))


@healthy
def targets_within_the_sigmoid():
    x = _draw(40, 6)
    net = Sequential(L.Linear(6, 24), F.gelu, L.Linear(24, 1), F.sigmoid)
    return lambda net, x, y: F.mean_squared_error(net(x), y), net, x, np.random.rand(40, 1).astype(np.float32)


@healthy
def mixup():
    def loss_fn(net, x, t):
        order = np.arange(len(x))[::-1]
        y = net(np.float32(0.7) * x + np.float32(0.3) * x[order])
        return 0.7 * F.softmax_cross_entropy(y, t) + 0.3 * F.softmax_cross_entropy(y, t[order])

    return loss_fn, _net(), *_clusters()


@healthy
def batch_norm_after_convolutions():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.c1, self.b1, self.c2 = L.Conv2D(1, 6, 3), L.BatchNormalization(6), L.Conv2D(6, 6, 3)
            self.b2, self.fc = L.BatchNormalization(6), L.Linear(6, 3)

        def forward(self, x):
            x = F.relu(self.b1(self.c1(x)))
            return self.fc(F.mean(F.relu(self.b2(self.c2(x))), axis=(2, 3)))

    t = np.random.randint(0, 3, 12)
    return _ce, Net(), _draw(12, 1, 8, 8) + t[:, None, None, None].astype(np.float32), t


@healthy
def one_example_at_a_time():
    x = _draw(1, 6)
    return lambda net, x, y: F.mean_squared_error(net(x), y), _net(6, 24, 1), x, x[:, :1]


@healthy
def point_net():
    class PointNet(Link):
        def __init__(self):
            super().__init__()
            self.each, self.all = _net(3, 16, 24), _net(24, 16, 2)

        def forward(self, points):
            return self.all(F.max(self.each(points), axis=1))

    points = _draw(16, 20, 3)
    points[:8] *= 0.4
    return _ce, PointNet(), points, (np.arange(16) < 8).astype(np.int64)


@healthy
def residuals_by_euler():
    class Ode(Link):
        def __init__(self):
            super().__init__()
            self.f, self.head = Sequential(L.Linear(6, 24), F.tanh, L.Linear(24, 6)), L.Linear(6, 4)

        def forward(self, x):
            for _ in range(15):
                x = x + 0.05 * self.f(x)
            return self.head(x)

    return _ce, Ode(), *_clusters()


@healthy(steps=20, learns=False)
def step_without_a_result():
    net = _net()

    def fit(net, adam, x, t):
        net.cleargrads()
        F.softmax_cross_entropy(net(x), t).backward()
        adam.update()

    return fit, net, optimizers.Adam(0.005).setup(net), *_clusters()


@healthy(steps=20)
def rates_of_their_own_for_body_and_head():
    body, head = L.Linear(6, 24), L.Linear(24, 4)
    adam = optimizers.Adam([{"params": body.parameters(), "lr": 1e-4}, {"params": head.parameters()}], lr=0.01)

    def fit(body, head, adam, x, t):
        adam.zero_grad()
        loss = F.softmax_cross_entropy(head(F.relu(body(x))), t)
        loss.backward()
        adam.step()
        return loss

    return fit, body, head, adam, *_clusters()


@healthy(steps=20)
def moving_average_of_the_weights():
    net = _net()
    average = net.copy()

    def fit(net, average, adam, x, t):
        net.cleargrads()
        loss = F.softmax_cross_entropy(net(x), t)
        loss.backward()
        adam.update()
        for a, p in zip(average.params(), net.params(), strict=True):
            a.data = 0.99 * a.data + 0.01 * p.data
        return loss

    return fit, net, average, optimizers.Adam(0.005).setup(net), *_clusters()

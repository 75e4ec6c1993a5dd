"""Training steps of many kinds, each built anew from a seed: two that are built alike give the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autolab
from autolab import Variable, config
from autolab import functions as F
from autolab import links as L
from autolab import optimizers as O
from autolab.optimizers import schedules

X = np.random.default_rng(5).normal(size=(64, 8, 6)).astype(np.float32)
T = np.random.default_rng(6).integers(0, 3, (64, 8))


class Net(autolab.Chain):
    """A net with dropout, two kinds of normalization, and a buffer of running means."""

    def __init__(self, width: int = 7) -> None:
        super().__init__()
        self.a, self.norm = L.Linear(6, width), L.BatchNormalization(width)
        self.b, self.layer, self.c = L.Linear(width, width), L.LayerNormalization(width), L.Linear(width, 3)

    def forward(self, x: Any) -> Variable:
        h = F.dropout(F.relu(self.norm(self.a(x))), 0.3)
        return self.c(F.tanh(self.layer(self.b(h))) + h)


class Tied(autolab.Chain):
    """The same weights twice."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = L.Linear(6, 6), L.Linear(6, 3)

    def forward(self, x: Any) -> Variable:
        return self.b(F.tanh(self.a(F.tanh(self.a(x)))))


class Attending(autolab.Chain):
    """A transformer's block over the batch, whose attention keeps its weights for whoever looks at them."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.c = L.TransformerEncoderLayer(6, 2, dropout=0.1), L.Linear(6, 3)

    def forward(self, x: Any) -> Variable:
        return self.c(self.block(x[None])[0])

    @property
    def seen(self) -> Any:
        return self.block.attention.weights


class Step:
    """What is called with a batch, and all that a call may change."""

    def __init__(self, function: Callable[..., Any], links: list[Any], optimizers: list[Any]) -> None:
        self.function, self.links, self.optimizers = function, links, optimizers

    def state(self) -> list[Any]:
        links = [dict(link.namedparams()) for link in self.links]
        told = [
            [
                (name, p.data, p.grad, bool(getattr(p.node, "moved", 0)), getattr(p.node, "passes", None))
                for name, p in of.items()
            ]
            for of in links
        ]
        buffers = [[link.state_dict(), getattr(link, "seen", None)] for link in self.links]
        return [told, buffers, [o.state() for o in self.optimizers], [o.t for o in self.optimizers], _drawn()]


def _drawn() -> str:
    return str(config.rng.bit_generator.state)


def _plain(make_net: Callable[[], Any], make: Callable[[Any], Any], decay: float | None = None) -> Callable[[], Step]:
    def build() -> Step:
        net = make_net()
        optimizer = make(net)

        def step(x: Any, t: Any) -> Variable:
            net.cleargrads()
            loss = F.softmax_cross_entropy(net(x), t)
            if decay:
                loss = loss + decay * sum([F.sum(p * p) for p in net.params()])
            loss.backward()
            optimizer.update()
            return loss

        return Step(step, [net], [optimizer])

    return build


def _wide() -> Net:
    net = Net()
    for p in net.params():
        p.data = p.data.astype(np.float64)
    return net


def _hooked(*hooks: Callable[[], Any]) -> Callable[[Any], Any]:
    def make(net: Any) -> Any:
        optimizer = O.MomentumSGD(lr=0.05).setup(net)
        for hook in hooks:
            optimizer.add_hook(hook())
        return optimizer

    return make


def _groups(net: Any) -> Any:
    return O.Adam(
        [{"params": net.a.parameters(), "lr": 0.02}, {"params": [*net.b.params(), *net.c.params()]}], lr=0.001
    )


def accumulating() -> Step:
    net = Net()
    optimizer = O.Adam(lr=0.01).setup(net)

    def step(x: Any, t: Any) -> Any:
        net.cleargrads()
        for half in (slice(0, 4), slice(4, 8)):
            loss = F.softmax_cross_entropy(net(x[half]), t[half]) / 2
            loss.backward()
        optimizer.update()
        return loss, [p.grad.data for p in net.params()]

    return Step(step, [net], [optimizer])


def over_two_calls() -> Step:
    net = Net()
    optimizer = O.SGD(lr=0.05).setup(net)

    def step(x: Any, t: Any, last: bool) -> Variable:
        loss = F.softmax_cross_entropy(net(x), t) / 2
        loss.backward()
        if last:
            optimizer.update()
            net.cleargrads()
        return loss

    count = [0]

    def outer(compiled: Any, x: Any, t: Any) -> Variable:
        count[0] += 1
        return compiled(x, t, count[0] % 2 == 0)

    made = Step(step, [net], [optimizer])
    made.outer = outer  # type: ignore[attr-defined]
    return made


def adversarial() -> Step:
    maker, judge = L.Linear(6, 6), L.MLP([6, 5, 1])
    ours, theirs = O.Adam(lr=0.01).setup(maker), O.Adam(lr=0.02).setup(judge)

    def step(x: Any, t: Any) -> Any:
        judge.cleargrads()
        noise = autolab.Variable(config.rng.normal(size=x.shape).astype(np.float32))
        fake = maker(noise)
        worse = F.mean(F.softplus(-judge(x))) + F.mean(F.softplus(judge(fake.detach())))
        worse.backward()
        theirs.update()
        maker.cleargrads()
        better = F.mean(F.softplus(-judge(maker(noise))))
        better.backward()
        ours.update()
        return {"judge": worse, "maker": better}

    return Step(step, [maker, judge], [ours, theirs])


def frozen() -> Step:
    net = Net()
    net.a.freeze()
    optimizer = O.AdamW(lr=0.01).setup(net)

    def step(x: Any, t: Any) -> Variable:
        return optimizer.update(lambda x, t: F.softmax_cross_entropy(net(x), t), x, t)  # type: ignore[return-value]

    return Step(step, [net], [optimizer])


def penalty() -> Step:
    net = Tied()
    optimizer = O.Adam(lr=0.01).setup(net)

    def step(x: Any, t: Any) -> Variable:
        x = Variable(x)
        net.cleargrads()
        loss = F.softmax_cross_entropy(net(x), t)
        slope = autolab.grad(loss, x, create_graph=True)
        whole = loss + 0.1 * F.sum(slope * slope)
        whole.backward()
        optimizer.update()
        return whole

    return Step(step, [net], [optimizer])


def by_hand() -> Step:
    net = Tied()

    def step(x: Any, t: Any) -> Variable:
        net.cleargrads()
        loss = F.softmax_cross_entropy(net(x), t)
        loss.backward()
        for p in net.params():
            p.data = p.data - np.float32(0.05) * p.grad.data
        return loss

    return Step(step, [net], [])


def in_place() -> Step:
    net = Tied()

    def step(x: Any, t: Any) -> Variable:
        net.cleargrads()
        loss = F.softmax_cross_entropy(net(x), t)
        loss.backward()
        for p in net.params():
            p.data -= np.float32(0.05) * p.grad.data
        return loss

    return Step(step, [net], [])


def recurrent() -> Step:
    net = L.Sequential(L.GRU(6, 5), L.Linear(5, 3))
    optimizer = O.RMSprop(lr=0.01).setup(net)

    def step(x: Any, t: Any) -> Variable:
        net.cleargrads()
        h, _ = net[0](x.reshape(2, 4, 6))
        loss = F.softmax_cross_entropy(net[1](h.reshape(-1, 5)), t)
        loss.backward()
        optimizer.update()
        return loss

    return Step(step, [net], [optimizer])


_RATES = {
    "constant": 0.05, "step": schedules.step(0.05, 3), "exponential": schedules.exponential(0.05, 0.9),
    "cosine": schedules.cosine(0.05, 100), "own": lambda t: 0.05 / (1 + t),
}  # fmt: skip
_OPTIMIZERS = [O.SGD, O.MomentumSGD, O.NesterovAG, O.AdaGrad, O.RMSprop, O.Adam, O.AdamW]
STEPS: dict[str, Callable[[], Step]] = {
    **{kind.__name__: _plain(Net, lambda net, kind=kind: kind(lr=0.01).setup(net)) for kind in _OPTIMIZERS},
    "AdaDelta": _plain(Net, lambda net: O.AdaDelta().setup(net)),
    **{
        f"rate that is {name}": _plain(Net, lambda net, rate=rate: O.Adam(lr=rate).setup(net))
        for name, rate in _RATES.items()
    },
    "weight decay": _plain(Net, _hooked(lambda: O.WeightDecay(0.01))),
    "clipping": _plain(Net, _hooked(lambda: O.WeightDecay(0.01), lambda: O.GradientClipping(0.3))),
    "lasso": _plain(Net, _hooked(lambda: O.Lasso(0.001))),
    "noise": _plain(Net, _hooked(lambda: O.GradientNoise(0.01))),
    "own hook": _plain(Net, _hooked(lambda: lambda optimizer: [setattr(p, "grad", p.grad * 0.5) for p in optimizer])),
    "groups": _plain(Net, _groups),
    "decay in the loss": _plain(Net, lambda net: O.Adam(lr=0.01).setup(net), decay=0.01),
    "a transformer": _plain(Attending, lambda net: O.Adam(lr=0.01).setup(net)),
    "the same weights twice": _plain(Tied, lambda net: O.Adam(lr=0.01).setup(net)),
    "float64": _plain(_wide, lambda net: O.Adam().setup(net)),
    **{made.__name__.replace("_", " "): made for made in (
        accumulating, over_two_calls, adversarial, frozen, penalty, by_hand, in_place, recurrent,
    )},
}  # fmt: skip


def trained(name: str, updates: int, wrap: Callable[[Any], Any]) -> tuple[list[Any], Any]:
    """What each update gives and leaves, and the function that was called."""
    rng = np.random.default_rng(7)
    seen: list[Any] = []
    with autolab.using_config("rng", rng):
        made = STEPS[name]()
        function = wrap(made.function)
        outer = getattr(made, "outer", lambda compiled, x, t: compiled(x, t))
        for i in range(updates):
            result = outer(function, X[i % 64].copy(), T[i % 64].copy())
            seen.append((result, made.state()))
    return seen, function

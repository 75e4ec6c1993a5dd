"""Programs in AutoLab with mistakes of students, and right ones that are unusual."""

from __future__ import annotations

import numpy as np

from autolab import ChainList, Link, Parameter, Sequential, Variable, grad, no_grad, optimizers, test_mode
from autolab import functions as F
from autolab import links as L
from diagnosis.case import healthy, mistake


def _classes(n=48, features=5, classes=3):
    t = np.arange(n) % classes
    return 0.4 * np.random.randn(n, features) + 2 * np.random.randn(classes, features)[t], t


def _net(a=5, b=3, hidden=16):
    return Sequential(L.Linear(a, hidden), F.relu, L.Linear(hidden, b))


def _trained(net, optimizer, x, t):
    loss = F.softmax_cross_entropy(net(x), t)
    net.cleargrads()
    loss.backward()
    optimizer.update()
    return loss


# ------------------------------------------------------------------------------------------- it runs, and learns little
@mistake("wrong_mode", steps=12)
def forward_pass_in_test_mode():
    net = Sequential(L.Linear(5, 16), L.BatchNormalization(16), F.relu, L.Linear(16, 3))
    optimizer = optimizers.SGD(lr=0.1).setup(net)

    def step(net, optimizer, x, t):
        with test_mode():  # <- with no_grad():
            y = net(x)  # <-
        loss = F.softmax_cross_entropy(y, t)  # <- loss = F.softmax_cross_entropy(net(x), t)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *_classes()


@mistake("repeated_layer", steps=12)
def one_layer_in_three_places():
    hidden = [L.Linear(16, 16), F.relu] * 3  # <- hidden = [f for _ in range(3) for f in (L.Linear(16, 16), F.relu)]
    net = Sequential(L.Linear(5, 16), F.relu, *hidden, L.Linear(16, 3))
    optimizer = optimizers.SGD(lr=0.1).setup(net)

    def step(net, optimizer, x, t):
        return _trained(net, optimizer, x, t)

    return step, net, optimizer, *_classes()


@healthy(steps=12)
def one_layer_is_applied_three_times():
    class Deep(Link):
        def __init__(self):
            super().__init__()
            self.first, self.hidden, self.last = L.Linear(5, 16), L.Linear(16, 16), L.Linear(16, 3)

        def forward(self, x):
            h = F.relu(self.first(x))
            for layer in [self.hidden] * 3:
                h = F.relu(layer(h))
            return self.last(h)

    net = Deep()
    optimizer = optimizers.SGD(lr=0.1).setup(net)

    def step(net, optimizer, x, t):
        return _trained(net, optimizer, x, t)

    return step, net, optimizer, *_classes()


@mistake("cut_gradient", steps=12)
def last_layer_frozen_at_zero():
    net = _net()
    net[2].W.data = 0 * net[2].W.data  # <- pass
    net[2].disable_update()  # <-
    optimizer = optimizers.Adam(0.02).setup(net)

    def step(net, optimizer, x, t):
        loss = F.softmax_cross_entropy(net(x), t)  # <-
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *_classes()


@mistake("cut_gradient", steps=12)
def zero_head_that_no_optimizer_holds():
    body, head = Sequential(L.Linear(5, 16), F.relu), L.Linear(16, 3, initialW=0)  # <- , initialW=0 =>
    optimizer = optimizers.Adam(0.02).setup(body)

    def step(body, head, optimizer, x, t):
        loss = F.softmax_cross_entropy(head(body(x)), t)  # <-
        body.cleargrads()
        head.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, body, head, optimizer, *_classes()


@mistake("ordered_classes", steps=12)
def batches_of_one_class():
    net, (x, t) = _net(), _classes()
    optimizer = optimizers.SGD(lr=0.2).setup(net)
    order = np.argsort(t, kind="stable")  # <- order = np.random.permutation(48)
    x, t, at = x[order], t[order], {"place": 0}

    def step(net, optimizer, x, t, at):
        part = slice(at["place"], at["place"] + 8)
        at["place"] = (at["place"] + 8) % 48
        loss = F.softmax_cross_entropy(net(x[part]), t[part])  # <-
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, x, t, at


@mistake("unused_loss", steps=12)
def loss_of_the_last_round():
    net = _net()
    optimizer = optimizers.SGD(lr=0.2).setup(net)

    def step(net, optimizer, x, t):
        total = 0.0
        for k in range(0, 48, 12):
            total = F.softmax_cross_entropy(net(x[k : k + 12]), t[k : k + 12])  # <- total = => total = total +
        net.cleargrads()
        total.backward()
        optimizer.update()
        return total

    return step, net, optimizer, *_classes()


@mistake("replaced_optimizer", steps=12)
def optimizer_in_the_step():
    net = _net()
    kept = optimizers.Adam(0.02).setup(net)

    def step(net, kept, x, t):
        optimizer = optimizers.Adam(0.02).setup(net)  # <- optimizer = kept
        loss = F.softmax_cross_entropy(net(x), t)
        net.cleargrads()
        loss.backward()
        optimizer.update()  # <-
        return loss

    return step, net, kept, *_classes()


@mistake("learning_rate", steps=12, outside=True)
def schedule_of_epochs_after_each_update():
    net = _net()
    optimizer = optimizers.SGD(lr=0.05).setup(net)  # <-
    schedule = optimizers.lr_scheduler.ExponentialLR(optimizer, 0.3)  # <- 0.3 => 0.95

    def step(net, optimizer, schedule, x, t):
        loss = _trained(net, optimizer, x, t)
        schedule.step()
        return loss

    return step, net, optimizer, schedule, *_classes()


def _curve(n=48):
    x = np.random.randn(n, 5)
    return x, np.sin(x[:, :1]) + 1


def _fit(net, optimizer, loss):
    net.cleargrads()
    loss.backward()
    optimizer.update()
    return loss


@mistake("cancelling_errors", steps=12)
def square_of_the_mean():
    net = _net(5, 1)
    optimizer = optimizers.SGD(lr=0.05).setup(net)

    def step(net, optimizer, x, t):
        loss = F.mean(net(x) - t) ** 2  # <- loss = F.mean((net(x) - t) ** 2)
        return _fit(net, optimizer, loss)

    return step, net, optimizer, *_curve()


@mistake("uphill", steps=12)
def error_times_minus_one():
    net = _net(5, 1)
    optimizer = optimizers.SGD(lr=0.01).setup(net)

    def step(net, optimizer, x, t):
        loss = -1.0 * F.mean((net(x) - t) ** 2)  # <- -1.0 * => 1.0 *
        return _fit(net, optimizer, loss)

    return step, net, optimizer, *_curve()


@mistake("uphill", steps=12)
def share_of_the_variance_is_made_small():
    net = _net(5, 1)
    optimizer = optimizers.SGD(lr=0.01).setup(net)

    def step(net, optimizer, x, t):
        share = 1 - F.sum((net(x) - t) ** 2) / np.sum((t - t.mean()) ** 2)  # <-
        return _fit(net, optimizer, share)  # <- share) => 1 - share)

    return step, net, optimizer, *_curve()


@healthy(steps=12)
def loss_that_outliers_cannot_lift():
    net = _net(5, 1)
    optimizer = optimizers.SGD(lr=0.2).setup(net)

    def step(net, optimizer, x, t):
        loss = F.mean(1 - F.exp(-((net(x) - t) ** 2)))
        return _fit(net, optimizer, loss)

    return step, net, optimizer, *_curve()


@healthy(steps=12)
def error_of_the_domain_is_to_grow():
    net, domain = _net(), L.Linear(16, 2)
    optimizer, other = optimizers.SGD(lr=0.1).setup(net), optimizers.SGD(lr=0.1).setup(domain)

    def step(net, domain, optimizer, other, x, t):
        h = F.relu(net[0](x))
        told = F.softmax_cross_entropy(domain(h), np.arange(48) % 2)
        loss = F.softmax_cross_entropy(net[2](h), t) - 0.1 * told
        net.cleargrads()
        domain.cleargrads()
        loss.backward()
        optimizer.update()
        for parameter in domain.params():
            parameter.grad = -1.0 * parameter.grad
        other.update()
        return loss

    return step, net, domain, optimizer, other, *_classes()


@healthy(steps=12)
def sum_that_is_conserved():
    net = _net(5, 1)
    optimizer = optimizers.SGD(lr=0.05).setup(net)

    def step(net, optimizer, x, t):
        error = net(x) - t
        return _fit(net, optimizer, F.mean(error**2) + 0.1 * F.mean(net(x) - t) ** 2)

    return step, net, optimizer, *_curve()


@mistake("cut_gradient", steps=12)
def state_detached_at_each_place():
    cell, head = L.RNNCell(4, 12), L.Linear(12, 2)
    net = ChainList(cell, head)
    optimizer = optimizers.Adam(0.02).setup(net)
    x = np.random.randn(32, 5, 4)

    def step(net, optimizer, x, t):
        h = Variable(np.zeros((32, 12)))
        for k in range(5):
            h = net[0](x[:, k], h.detach())  # <- h.detach() => h
        return _fit(net, optimizer, F.softmax_cross_entropy(net[1](h), t))

    return step, net, optimizer, x, (x[:, 0, 0] > 0) * 1


@healthy(steps=12)
def state_detached_between_windows():
    cell, head = L.RNNCell(4, 12), L.Linear(12, 2)
    net = ChainList(cell, head)
    optimizer = optimizers.Adam(0.02).setup(net)
    x = np.random.randn(32, 6, 4)

    def step(net, optimizer, x, t):
        h, loss = Variable(np.zeros((len(x), 12))), 0.0
        for k in range(6):
            h = net[0](x[:, k], h.detach())
            loss = loss + F.softmax_cross_entropy(net[1](h), t[:, k])
        return _fit(net, optimizer, loss)

    return step, net, optimizer, x, (x[..., 0] > 0) * 1


@healthy(steps=12)
def values_that_are_looked_at():
    net, seen = _net(), []
    optimizer = optimizers.Adam(0.02).setup(net)

    def step(net, optimizer, seen, x, t):
        for k in range(0, 48, 12):
            seen.append(net(x[k : k + 12]).data)
        return _trained(net, optimizer, x, t)

    return step, net, optimizer, seen, *_classes()


@healthy(steps=12)
def rate_that_rises_and_falls_once():
    net = _net()
    optimizer = optimizers.SGD(lr=0.01).setup(net)
    schedule = optimizers.lr_scheduler.OneCycleLR(optimizer, 0.01, total_steps=12)

    def step(net, optimizer, schedule, x, t):
        loss = _trained(net, optimizer, x, t)
        if schedule.last_epoch < schedule.total_steps:
            schedule.step()
        return loss

    return step, net, optimizer, schedule, *_classes()


@mistake("wrong_axis", "softmax_over_batch")
def softmax_over_time():
    x = np.random.randn(8, 5, 4)
    t = (x[..., 0] > 0) * 1 + (x[..., 1] > 0)

    def loss_fn(net, x, t):
        logs = F.log_softmax(net(x), axis=1)  # <- axis=1 => axis=2
        return -F.mean(F.take_along_axis(logs, t[..., None], axis=2))

    return loss_fn, L.Linear(4, 3), x, t


@mistake("mixed_examples")
def reshaped_before_the_axes_are_moved():
    x, t = np.random.randn(5, 12, 4), np.arange(12) % 3

    def loss_fn(net, t):
        rows = F.reshape(Variable(x), (12, 20))  # <- rows = F.reshape(F.transpose(Variable(x), (1, 0, 2)), (12, 20))
        return F.softmax_cross_entropy(net(rows), t)

    return loss_fn, _net(20), t


@mistake("constant_output")
def mask_that_keeps_the_padding():
    x, pad = np.random.randn(12, 6, 4), np.zeros((12, 6), bool)
    t = (x[:, 0, 0] > 0) * 1
    pad[:, 4:] = True
    x[pad] = 0

    def loss_fn(query, out, x, pad, t):
        scores = F.where(pad, query(x)[..., 0], -1e9)  # <- pad, => ~pad,
        weights = F.softmax(scores, axis=1)
        pooled = F.sum(weights[..., None] * x, axis=1)
        return F.softmax_cross_entropy(out(pooled), t)  # <-

    return loss_fn, L.Linear(4, 1), L.Linear(4, 2), x, pad, t


@mistake("constant_output", outside=True)
def the_same_words_in_every_example():
    words = np.random.randint(1, 20, (12, 5))
    words[:] = 0  # <- pass

    def loss_fn(embed, out, words, t):
        return F.softmax_cross_entropy(out(F.mean(embed(words), axis=1)), t)  # <-

    return loss_fn, L.Embedding(20, 6), L.Linear(6, 3), words, np.arange(12) % 3


# ------------------------------------------------------------------------------------------- states, rates, numbers
@mistake("graph_reused", steps=8)
def state_that_keeps_its_graph():
    cell, out = L.RNNCell(3, 8), L.Linear(8, 1)
    optimizer = optimizers.SGD(lr=0.05).setup(ChainList(cell, out))
    x = np.random.randn(6, 4, 3)
    memory = {"h": Variable(np.zeros((4, 8)))}

    def step(cell, out, optimizer, memory, x, t):  # <-
        for xt in x:
            memory["h"] = cell(xt, memory["h"])  # <-
        loss = F.mean_squared_error(out(memory["h"]), t)
        optimizer.target.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, cell, out, optimizer, memory, x, x.sum(axis=0)[:, :1]


@mistake("learning_rate", steps=12, outside=True)
def rate_of_zero():
    net = _net()
    optimizer = optimizers.SGD(lr=0.0).setup(net)  # <- 0.0 => 0.2
    return _trained, net, optimizer, *_classes()


@mistake("learning_rate", steps=12)
def clipped_to_nothing():
    net = _net()
    optimizer = optimizers.SGD(lr=0.2).setup(net)
    optimizer.add_hook(optimizers.GradientClipping(1e-6))  # <- 1e-6 => 1.0

    def step(net, optimizer, x, t):
        loss = F.softmax_cross_entropy(net(x), t)
        net.cleargrads()
        loss.backward()
        optimizer.update()  # <-
        return loss

    return step, net, optimizer, *_classes()


@mistake("not_finite", steps=8)
def a_column_that_never_changes():
    net, (x, t) = _net(), _classes()
    optimizer = optimizers.Adam(0.02).setup(net)
    x[:, 2] = 1.0

    def step(net, optimizer, x, t):
        scaled = (x - x.mean(axis=0)) / x.std(axis=0)  # <- x.std(axis=0) => (x.std(axis=0) + 1e-8)
        loss = F.softmax_cross_entropy(net(scaled), t)  # <-
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *(x, t)


# ------------------------------------------------------------------------------------------- right, and unusual
class _Block(Link):
    def __init__(self, initial=None):
        super().__init__()
        self.up, self.down, self.out = L.Linear(5, 16), L.Linear(16, 5, initialW=initial), L.Linear(5, 3)

    def forward(self, x):
        return self.out(x + self.down(F.relu(self.up(x))))


@healthy
def residual_of_the_inputs():
    return lambda net, x, t: F.softmax_cross_entropy(net(x), t), _Block(), *_classes()


@healthy(steps=12)
def residual_branch_that_begins_at_zero():
    net = _Block(0)
    return _trained, net, optimizers.Adam(0.02).setup(net), *_classes()


@healthy(steps=12)
def head_that_begins_at_zero():
    net = Sequential(L.Linear(5, 16), F.relu, L.Linear(16, 3, initialW=0))
    return _trained, net, optimizers.Adam(0.02).setup(net), *_classes()


@healthy(steps=12)
def statistics_of_earlier_batches():
    body = Sequential(L.Linear(5, 16), L.BatchNormalization(16))
    x, t = _classes()
    for _ in range(20):
        body(x)
    body.disable_update()
    net = ChainList(body, L.Linear(16, 3))
    optimizer = optimizers.Adam(0.02).setup(net)

    def step(net, optimizer, x, t):
        with test_mode(), no_grad():
            h = net[0](x)
        loss = F.softmax_cross_entropy(net[1](F.relu(h)), t)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, x, t


@healthy(steps=20)
def rate_that_restarts():
    net = _net()
    optimizer, at = optimizers.SGD(lr=0.2).setup(net), [0]

    def step(net, optimizer, at, x, t):
        optimizer.lr = 0.1 * (1 + np.cos(np.pi * (at[0] % 10) / 10))
        at[0] += 1
        return _trained(net, optimizer, x, t)

    return step, net, optimizer, at, *_classes()


@healthy(steps=12)
def loss_of_other_examples_that_is_looked_at():
    net, seen = _net(), []
    optimizer = optimizers.Adam(0.02).setup(net)

    def loss_of(net, x, t):
        return F.softmax_cross_entropy(net(x), t)

    def step(net, optimizer, seen, x, t):
        loss = loss_of(net, x[:32], t[:32])
        seen.append(loss_of(net, x[32:], t[32:]))
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, seen, *_classes()


# -------------------------------------------------------------------------------- NumPy's functions on what is given
@mistake("shuffled_labels", steps=12)
def shuffled_apart_by_numpy():
    net = _net()
    optimizer = optimizers.Adam(0.02).setup(net)

    def step(net, optimizer, x, t):
        mixed = np.random.permutation(x)  # <- mixed, t = x[order := np.random.permutation(48)], t[order]
        labels = np.random.permutation(t)  # <- labels = t
        loss = F.softmax_cross_entropy(net(mixed), labels)  # <-
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *_classes()


@healthy(steps=12)
def shuffled_twice_from_one_state():
    net = _net()
    optimizer = optimizers.Adam(0.02).setup(net)

    def step(net, optimizer, x, t):
        x, t, state = x.copy(), t.copy(), np.random.get_state()
        np.random.shuffle(x)
        np.random.set_state(state)
        np.random.shuffle(t)
        return _trained(net, optimizer, x, t)

    return step, net, optimizer, *_classes()


@mistake("double_softmax", steps=12)
def examples_chosen_one_by_one():
    net = Sequential(*_net(), F.softmax)  # <- , F.softmax =>
    optimizer = optimizers.Adam(0.02).setup(net)

    def step(net, optimizer, x, t):
        chosen = [(x[i], t[i]) for i in np.random.permutation(48)[:24]]
        batch, labels = np.array([x for x, _ in chosen]), np.array([t for _, t in chosen])
        loss = F.softmax_cross_entropy(net(batch), labels)  # <-
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *_classes()


@healthy(steps=12)
def actions_taken_along_the_default_axis():
    def step(policy, optimizer, states, actions, advantages):
        chosen = F.take_along_axis(F.log_softmax(policy(states)), actions, axis=1)
        loss = -F.mean(chosen[:, 0] * advantages)
        policy.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    policy = _net(4, 2)
    actions, advantages = np.random.randint(0, 2, (40, 1)), np.random.randn(40)
    return step, policy, optimizers.Adam(0.02).setup(policy), np.random.randn(40, 4), actions, advantages


@healthy(steps=12)
def picture_with_the_features_of_another():
    def gram(features):
        flat = F.reshape(features, (8, -1))
        return flat @ flat.T / flat.size

    def step(net, picture, optimizer, style):
        loss = F.sum((gram(net(picture)) - gram(net(style)).data) ** 2)
        picture.cleargrad()
        loss.backward()
        optimizer.update()
        return loss

    net, style = Sequential(L.Conv2D(3, 8, 3, pad=1), F.relu), np.random.rand(1, 3, 8, 8)
    picture = Parameter(np.random.rand(1, 3, 8, 8))
    return step, net, picture, optimizers.Adam(0.05).setup([picture]), style


# ------------------------------------------------------------------------------------------------ losses of one's own
@mistake("softmax_over_batch")
def softmax_by_exp_and_sum():
    def loss(net, x, t):
        e = F.exp(net(x))
        p = e / F.sum(e, axis=0)  # <- p = e / F.sum(e, axis=1, keepdims=True)
        return -F.mean(F.log(p[np.arange(48), t]))

    return loss, _net(), *_classes()


@mistake("uphill", steps=12)
def half_of_the_likelihood_with_a_plus():
    net = Sequential(*_net(5, 1), F.sigmoid)
    optimizer = optimizers.SGD(lr=0.5).setup(net)

    def step(net, optimizer, x, t):
        p = net(x)[:, 0]
        loss = F.mean(-t * F.log(p) + (1 - t) * F.log(1 - p))  # <- + (1 - t) => - (1 - t)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *_classes(classes=2)


@healthy(steps=12)
def likelihood_and_entropy():
    net = Sequential(*_net(5, 1), F.sigmoid)
    optimizer = optimizers.SGD(lr=0.5).setup(net)

    def step(net, optimizer, x, t):
        p = net(x)[:, 0]
        entropy = -F.mean(p * F.log(p) + (1 - p) * F.log(1 - p))
        loss = -F.mean(t * F.log(p) + (1 - t) * F.log(1 - p)) - 0.1 * entropy
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *_classes(classes=2)


def _prices():
    x = np.random.randn(60, 5)
    return x, 250_000 + 50_000 * x[:, :1]


@mistake("cancelling_errors", steps=12)
def differences_that_are_not_squared():
    net = _net(5, 1)
    optimizer = optimizers.SGD(lr=0.05).setup(net)

    def step(net, optimizer, x, y):
        loss = F.mean(net(x) - y)  # <- loss = F.mean((net(x) - y) ** 2)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    x, _ = _prices()
    return step, net, optimizer, x, x[:, :1]


@healthy(steps=12)
def log_probabilities_below_those_of_a_teacher():
    net = _net(5, 3)
    optimizer = optimizers.SGD(lr=0.1).setup(net)

    def step(net, optimizer, x, t, teacher):
        own = F.log_softmax(net(x))[np.arange(len(t)), t]
        loss = F.mean(teacher - own)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *_classes(), -np.random.rand(48)


@mistake("output_range", steps=12)
def prices_as_they_are_by_sgd():
    net, (x, y) = _net(5, 1), _prices()
    optimizer = optimizers.SGD(lr=0.01).setup(net)

    def step(net, optimizer, x, y):
        loss = F.mean_squared_error(net(x), y)  # <- loss = F.mean_squared_error(net(x), (y - y.mean()) / y.std())
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, x, y


@mistake("output_range", steps=12)
def prices_as_they_are_by_adam():
    net, (x, y) = _net(5, 1), _prices()
    optimizer = optimizers.Adam(0.01).setup(net)

    def step(net, optimizer, x, y):
        loss = F.mean_squared_error(net(x), y)  # <- loss = F.mean_squared_error(net(x), (y - y.mean()) / y.std())
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, x, y


# ------------------------------------------------------------------------------------------- what is made, and where
@mistake("replaced_parameter", steps=12)
def model_and_optimizer_in_the_step():
    def step(x, t):
        net = _net()  # <-
        optimizer = optimizers.SGD(lr=0.1).setup(net)  # <-
        loss = F.softmax_cross_entropy(net(x), t)
        net.cleargrads()
        loss.backward()
        optimizer.update()  # <-
        return loss

    return step, *_classes()


@mistake("wrong_mode", steps=12)
def evaluation_mode_since_the_model_was_made():
    net = Sequential(L.Linear(5, 16), F.relu, L.Dropout(0.5), L.Linear(16, 3))
    net.eval()  # <- net.train()
    optimizer = optimizers.SGD(lr=0.1).setup(net)

    def step(net, optimizer, x, t):
        return _trained(net, optimizer, x, t)

    return step, net, optimizer, *_classes()


@mistake("mixed_examples")
def channels_first_by_reshape():
    def loss(net, pictures, t):
        first = pictures.reshape(6, 3, 8, 8)  # <- first = pictures.transpose(0, 3, 1, 2)
        return F.softmax_cross_entropy(net(first), t)

    net = Sequential(L.Conv2D(3, 4, 3), F.relu, F.global_avg_pool, L.Linear(4, 2))
    return loss, net, np.random.rand(6, 8, 8, 3), np.random.randint(0, 2, 6)


@mistake("constant_output", steps=12, outside=True)
def pixels_divided_as_integers():
    x = np.random.randint(0, 255, (30, 16)).astype(np.uint8)
    x = (x // 255).astype(float)  # <- x = x / 255
    net = _net(16, 2)
    optimizer = optimizers.Adam(0.02).setup(net)

    def step(net, optimizer, x, t):
        loss = F.softmax_cross_entropy(net(x), t)  # <-
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, x, np.random.randint(0, 2, 30)


@healthy(steps=12)
def state_of_the_model_that_is_detached():
    class Cell(Link):
        def __init__(self):
            super().__init__()
            self.cell, self.out, self.h = L.Linear(8, 6), L.Linear(6, 1), Variable(np.zeros((4, 6)))

        def forward(self, x):
            h = F.tanh(self.cell(F.concatenate([self.h, x], axis=1)))
            self.h = Variable(h.data)
            return self.out(h)

    net = Cell()
    optimizer = optimizers.SGD(lr=0.1).setup(net)

    def step(net, optimizer, x, y):
        loss = F.mean_squared_error(net(x), y)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, np.random.randn(4, 2), np.random.randn(4, 1)


# ---------------------------------------------------------------------------------- PyTorch's and DeZero's names
def _torch_step(net, optimizer, x, t):
    from autolab.compat.torch.nn import functional

    optimizer.zero_grad()
    loss = functional.cross_entropy(net(x), t)
    loss.backward()
    optimizer.step()
    return loss


def _torch_classes():
    from autolab.compat import torch

    x, t = _classes()
    return torch.tensor(x.astype(np.float32)), torch.tensor(t)


def _torch_net(*more):
    from autolab.compat.torch import nn

    return nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3), *more)


@healthy(steps=12)
def a_step_with_the_names_of_pytorch():
    from autolab.compat import torch

    net = _torch_net()
    return _torch_step, net, torch.optim.Adam(net.parameters(), lr=0.02), *_torch_classes()


@mistake("learning_rate", steps=12, outside=True)
def rate_of_a_thousand_with_the_names_of_pytorch():
    from autolab.compat import torch

    net = _torch_net()
    sgd = torch.optim.SGD(net.parameters(), lr=1000.0)  # <- lr=1000.0 => lr=0.1

    def step(net, sgd, x, t):
        return _torch_step(net, sgd, x, t)

    return step, net, sgd, *_torch_classes()


@mistake("not_in_optimizer", steps=12, outside=True)
def head_replaced_after_the_optimizer():
    from autolab.compat import torch

    net = _torch_net()
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
    net[2] = torch.nn.Linear(16, 3)  # <- pass

    def step(net, sgd, x, t):
        return _torch_step(net, sgd, x, t)

    return step, net, sgd, *_torch_classes()


@mistake("cut_gradient", steps=12)
def features_detached_with_the_names_of_pytorch():
    from autolab.compat import torch
    from autolab.compat.torch.nn import functional

    body, head = _torch_net(torch.nn.ReLU()), torch.nn.Linear(3, 3)
    sgd = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)

    def step(body, head, sgd, x, t):
        sgd.zero_grad()
        features = body(x).detach()  # <- features = body(x)
        loss = functional.cross_entropy(head(features), t)
        loss.backward()
        sgd.step()
        return loss

    return step, body, head, sgd, *_torch_classes()


@mistake("broadcast_loss")
def column_and_row_with_the_names_of_pytorch():
    from autolab.compat import torch

    def loss(net, x, y):
        return torch.nn.MSELoss()(net(x), y)  # <- return torch.nn.MSELoss()(net(x)[:, 0], y)

    x = torch.randn(30, 5)
    return loss, torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)), x, x.sum(dim=1)


@mistake("cut_gradient")
def loss_of_numpy_with_the_names_of_pytorch():
    from autolab.compat import torch

    def loss(net, x, y):
        rms = np.sqrt(((net(x).detach().numpy() - y.numpy()) ** 2).mean())  # <- rms = ((net(x) - y) ** 2).mean().sqrt()
        return torch.tensor(rms, requires_grad=True)  # <- return rms

    x = torch.randn(30, 5)
    return loss, torch.nn.Linear(5, 1), x, x.sum(dim=1, keepdim=True)


@mistake("no_backward", steps=12)
def update_without_backward_with_the_names_of_dezero():
    from autolab.compat import dezero
    from autolab.compat.dezero import functions

    net = dezero.models.MLP((16, 3))
    sgd = dezero.optimizers.SGD(0.1).setup(net)

    def step(net, sgd, x, t):
        loss = functions.softmax_cross_entropy(net(x), t)
        net.cleargrads()
        sgd.update()  # <- loss.backward(); sgd.update()
        return loss

    return step, net, sgd, *_classes()


@healthy
def one_loss_is_written_twice_in_a_line():
    def loss(net, x, t):
        now, _other = F.softmax_cross_entropy(net(x), t), F.softmax_cross_entropy(net(x), t)
        return now

    return loss, _net(), *_classes()


# ------------------------------------------------------------------------------ results that are changed by the program
class _Changing(Link):
    def __init__(self, change, activation=F.relu):
        super().__init__()
        self.first, self.last = L.Linear(5, 16), L.Linear(16, 3)
        self.change, self.activation = change, activation

    def forward(self, x):
        return self.last(F.relu(self.change(self.activation(self.first(x)))))


def _loss(net, x, t):
    return F.softmax_cross_entropy(net(x), t)


@mistake("changed_in_place")
def half_of_the_units_are_switched_off_in_the_data():
    def switched_off(h):
        h.data[:, ::2] = 0  # <- h = h * (np.arange(16) % 2)
        return h

    return _loss, _Changing(switched_off), *_classes()


@mistake("changed_in_place")
def result_of_a_linear_layer_is_clipped_in_its_data():
    def clipped(h):
        np.clip(h.data, -2.0, 2.0, out=h.data)  # <- h = F.clip(h, -2.0, 2.0)
        return h + 0.05

    return _loss, _Changing(clipped, F.negative), *_classes()


@mistake("changed_in_place")
def result_gets_other_data():
    def scaled(h):
        h.data = h.data * 5  # <- h = h * 5
        return h + 0.05

    return _loss, _Changing(scaled, F.negative), *_classes()


@healthy
def noise_is_added_to_the_data():
    def noisy(h):
        h.data += 0.1 * np.random.randn(*h.shape)
        return h

    return _loss, _Changing(noisy, F.negative), *_classes()


# --------------------------------------------------------------------------------------- graphs that are cut or carried
@mistake("cut_gradient")
def unchained_in_the_forward_pass():
    def cut(h):
        h.unchain_backward()  # <- pass
        return h

    return _loss, _Changing(cut), *_classes()


@mistake("cut_gradient")
def a_leaf_in_the_forward_pass():
    def cut(h):
        h.unchain()  # <- pass
        return h

    return _loss, _Changing(cut), *_classes()


def _train(net, optimizer, x, t):
    return _trained(net, optimizer, x, t)


@mistake("graph_reused", steps=12)
def state_with_its_graph_in_the_model():
    class Remembering(Link):
        def __init__(self):
            super().__init__()
            self.new, self.old, self.last = L.Linear(5, 16), L.Linear(16, 16), L.Linear(16, 3)
            self.h = Variable(np.zeros((48, 16)), requires_grad=False)

        def forward(self, x):
            self.h = F.tanh(self.new(x) + self.old(self.h))  # <- self.old(self.h) => self.old(self.h.detach())
            return self.last(self.h)

    net = Remembering()
    return _train, net, optimizers.SGD(lr=0.1).setup(net), *_classes()


@healthy(steps=12)
def state_that_is_cut_off_in_the_model():
    class Remembering(Link):
        def __init__(self):
            super().__init__()
            self.new, self.old, self.last = L.Linear(5, 16), L.Linear(16, 16), L.Linear(16, 3)
            self.h = Variable(np.zeros((48, 16)), requires_grad=False)

        def forward(self, x):
            self.h = F.tanh(self.new(x) + self.old(self.h))
            self.h, h = self.h.detach(), self.h
            return self.last(h)

    net = Remembering()
    return _train, net, optimizers.SGD(lr=0.1).setup(net), *_classes()


@healthy(steps=12, learns=False)
def losses_of_three_steps_are_added_up():
    net = _net()
    optimizer, waiting = optimizers.SGD(lr=0.1).setup(net), []

    def step(net, optimizer, x, t):
        waiting.append(_loss(net, x, t))
        if len(waiting) == 3:
            net.cleargrads()
            sum(waiting[1:], waiting[0]).backward()
            optimizer.update()
            waiting.clear()

    return step, net, optimizer, *_classes()


# ------------------------------------------------------------------------------------------- attention written by hand
class _Attending(Link):
    def __init__(self, length, size):
        super().__init__()
        self.words = L.EmbedID(12, size)
        self.q, self.k, self.v, self.last = [L.Linear(size, n) for n in (size, size, size, 12)]
        self.places = Parameter(0.1 * np.random.randn(length, size))


def _next_word(net, tokens, above):
    count, length, size = len(tokens), *net.places.shape
    flat = (net.words(tokens[:, :-1]) + net.places).reshape(-1, size)
    q, k, v = [layer(flat).reshape(count, length, size) for layer in (net.q, net.k, net.v)]
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(size) - 1e9 * above
    heard = (F.softmax(scores, axis=-1) @ v).reshape(-1, size)
    p = F.log_softmax(net.last(F.relu(flat + heard)), axis=-1)
    return -p[np.arange(count * length), tokens[:, 1:].reshape(-1)].mean()


@healthy(causal=True)
def large_numbers_are_subtracted_where_attention_is_masked():
    def loss(net, tokens):
        return _next_word(net, tokens, np.triu(np.ones((7, 7)), 1))

    return loss, _Attending(7, 16), np.random.randint(1, 12, (8, 8))


@mistake("causal_leak", causal=True)
def triangle_on_the_other_side():
    def loss(net, tokens):
        count, size = len(tokens), 16
        above = np.triu(np.ones((7, 7)), 1).T
        flat = (net.words(tokens[:, :-1]) + net.places).reshape(-1, size)
        q, k, v = [layer(flat).reshape(count, 7, size) for layer in (net.q, net.k, net.v)]
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(size) - 1e9 * above  # <- 1e9 * above => 1e9 * above.T
        heard = (F.softmax(scores, axis=-1) @ v).reshape(-1, size)  # <-
        p = F.log_softmax(net.last(F.relu(flat + heard)), axis=-1)
        return -p[np.arange(count * 7), tokens[:, 1:].reshape(-1)].mean()

    return loss, _Attending(7, 16), np.random.randint(1, 12, (8, 8))


# ----------------------------------------------------------------------------------------- an update inside of the loss
@healthy(learns=False)
def loss_after_a_step_along_the_gradient():
    def loss(w, x, y):
        (slope,) = grad(((x @ w - y) ** 2).mean(), (w,), create_graph=True)
        return ((x @ (w - 0.1 * slope) - y) ** 2).mean()

    x = np.random.randn(10, 3)
    return loss, Parameter(np.array([[1.1], [0.8], [0.9]])), x, x.sum(axis=1, keepdims=True)

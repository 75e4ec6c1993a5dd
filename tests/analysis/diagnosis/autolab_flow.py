"""Programs in AutoLab whose gradients do not reach what should learn, and steps that do something else than train."""

from __future__ import annotations

import numpy as np

from autolab import Link, Parameter, Sequential, Variable, no_grad, optimizers
from autolab import functions as F
from autolab import links as L
from diagnosis.case import mistake


def _normal(*shape):
    return np.random.randn(*shape).astype(np.float32)


def _blobs(n=32, features=4, classes=3):
    t = np.random.randint(0, classes, n)
    return 0.5 * _normal(n, features) + 2 * _normal(classes, features)[t], t


def _line(n=32, features=3):
    x = _normal(n, features)
    return x, x.sum(axis=1, keepdims=True)


@mistake("cut_gradient", "unreached_parameter")
def encoder_output_is_detached():
    class AutoEncoder(Link):
        def __init__(self):
            super().__init__()
            self.encoder = Sequential(L.Linear(12, 8), F.relu, L.Linear(8, 3))
            self.decoder = Sequential(L.Linear(3, 8), F.relu, L.Linear(8, 12))

        def forward(self, x):
            code = self.encoder(x).detach()  # <- code = self.encoder(x)
            return self.decoder(code)

    def loss_fn(model, x):
        return F.mean_squared_error(model(x), x)

    return loss_fn, AutoEncoder(), np.random.rand(16, 12).astype(np.float32)


@mistake("cut_gradient", "unreached_parameter")
def data_of_hidden_layer():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.l1, self.l2 = L.Linear(4, 16), L.Linear(16, 3)

        def forward(self, x):
            h = F.relu(self.l1(x))
            return self.l2(h.data)  # <- return self.l2(h)

    def loss_fn(net, x, t):
        return F.softmax_cross_entropy(net(x), t)

    return loss_fn, Net(), *_blobs()


@mistake("cut_gradient")
def losses_summed_as_numbers():
    model = Sequential(L.Linear(3, 8), F.tanh, L.Linear(8, 1))

    def total_loss(model, x, y):
        total = 0.0
        for i in range(len(x)):
            loss = F.mean_squared_error(model(x[i : i + 1]), y[i : i + 1])
            total += float(loss)  # <- total = total + loss
        return Variable(np.float32(total / len(x)))  # <- return total / len(x)

    return total_loss, model, *_line(8)


@mistake("cut_gradient")
def loss_of_numpys_array():
    model = L.Linear(3, 1)

    def loss_fn(model, x, y):
        pred = np.array(model(x).data)  # <- pred = model(x)
        return Variable(((pred - y) ** 2).mean())  # <- return F.mean((pred - y) ** 2)

    return loss_fn, model, *_line()


@mistake("cut_gradient", "unreached_parameter")
def features_under_no_grad():
    class Classifier(Link):
        def __init__(self):
            super().__init__()
            self.features, self.head = Sequential(L.Linear(4, 16), F.tanh), L.Linear(16, 3)

        def forward(self, x):
            with no_grad():  # <- if True:
                f = self.features(x)  # <-
            return self.head(f)

    def loss_fn(model, x, t):
        return F.softmax_cross_entropy(model(x), t)

    return loss_fn, Classifier(), *_blobs()


@mistake("cut_gradient")
def accuracy_as_loss():
    model = Sequential(L.Linear(3, 8), F.relu, L.Linear(8, 1))

    def loss_fn(model, x, t):
        prob = F.sigmoid(model(x))
        pred = F.round(prob)  # <- pred = prob
        return F.mean((pred - t) ** 2)

    x = _normal(32, 3)
    return loss_fn, model, x, (x[:, :1] > 0).astype(np.float32)


@mistake("unreached_parameter")
def second_layer_is_never_called():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.l1 = L.Linear(8, 8)
            self.l2 = L.Linear(8, 8)  # <-
            self.l3 = L.Linear(8, 2)

        def forward(self, x):
            h = F.relu(self.l1(x))
            h = F.relu(self.l1(h))  # <- h = F.relu(self.l2(h))
            return self.l3(h)

    def loss_fn(net, x, t):
        return F.softmax_cross_entropy(net(x), t)

    return loss_fn, Net(), *_blobs(32, 8, 2)


@mistake("unregistered_parameter")
def layers_in_a_plain_list():
    class MLP(Link):
        def __init__(self):
            super().__init__()
            self.layers = []  # <- self.layers = L.ChainList()
            self.layers.append(L.Linear(4, 16))  # <- append => add_link
            self.layers.append(L.Linear(16, 16))  # <- append => add_link
            self.out = L.Linear(16, 3)

        def forward(self, x):
            for layer in self.layers:  # <-
                x = F.relu(layer(x))  # <-
            return self.out(x)

    def loss_fn(model, x, t):
        return F.softmax_cross_entropy(model(x), t)

    return loss_fn, MLP(), *_blobs()


@mistake("not_in_optimizer", steps=20, outside=True)
def optimizer_holds_only_the_decoder():
    encoder, decoder = Sequential(L.Linear(10, 6), F.tanh), L.Linear(6, 10)
    optimizer = optimizers.Adam(decoder, lr=0.01)  # <- decoder => L.ChainList(encoder, decoder)

    def train_step(encoder, decoder, optimizer, x):
        optimizer.zero_grad()
        loss = F.mean_squared_error(decoder(encoder(x)), x)
        loss.backward()
        optimizer.update()
        return loss

    return train_step, encoder, decoder, optimizer, np.random.rand(20, 10).astype(np.float32)


@mistake("replaced_parameter", "not_in_optimizer", steps=20)
def clipped_weight_is_a_new_parameter():
    critic = L.Linear(4, 1)
    optimizer = optimizers.RMSprop(critic.parameters(), lr=0.005)

    def critic_step(critic, optimizer, real, fake):
        optimizer.zero_grad()
        loss = F.mean(critic(fake)) - F.mean(critic(real))
        loss.backward()
        optimizer.step()
        critic.W = Parameter(np.clip(critic.W.data, -0.5, 0.5))  # <- critic.W.data = np.clip(critic.W.data, -0.5, 0.5)
        return loss

    return critic_step, critic, optimizer, _normal(16, 4) + 1, _normal(16, 4) - 1


@mistake("gradients_accumulate", steps=20)
def clearing_the_gradients_is_forgotten():
    net = Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 3))
    optimizer = optimizers.SGD(0.05).setup(net)

    def train_step(net, optimizer, x, t):
        loss = F.softmax_cross_entropy(net(x), t)
        loss.backward()  # <- net.cleargrads(); loss.backward()
        optimizer.update()  # <-
        return loss

    return train_step, net, optimizer, *_blobs()


@mistake("gradients_cleared", "unreached_parameter", steps=20, fails="gradient")
def cleargrads_between_backward_and_update():
    net = Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 3))
    optimizer = optimizers.Adam(0.01).setup(net)

    def train_step(net, optimizer, x, t):
        loss = F.softmax_cross_entropy(net(x), t)
        loss.backward()
        net.cleargrads()  # <- pass
        optimizer.update()  # <- optimizer.update(); net.cleargrads()
        return loss

    return train_step, net, optimizer, *_blobs()


@mistake("learning_rate", "exploding", "not_finite", "dead_units", "does_not_overfit", steps=20, outside=True)
def learning_rate_of_ten():
    net = L.MLP((16, 1))
    optimizer = optimizers.SGD(10.0).setup(net)  # <- 10.0 => 0.05

    def train_step(net, optimizer, x, y):
        return optimizer.update(lambda: F.mean_squared_error(net(x), y))

    x = _normal(32, 4)
    net(x)
    return train_step, net, optimizer, x, 2 * x[:, :1] - x[:, 1:2]


@mistake("learning_rate", "does_not_overfit", steps=20, outside=True)
def learning_rate_of_a_billionth():
    net = Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 3))
    optimizer = optimizers.SGD(1e-9).setup(net)  # <- 1e-9 => 0.1

    def train_step(net, optimizer, x, t):
        net.cleargrads()
        loss = F.softmax_cross_entropy(net(x), t)
        loss.backward()
        optimizer.update()
        return loss

    return train_step, net, optimizer, *_blobs()


@mistake("shuffled_labels", "does_not_overfit", steps=20)
def inputs_shuffled_without_their_labels():
    net = Sequential(L.Linear(4, 32), F.relu, L.Linear(32, 3))
    optimizer = optimizers.Adam(0.01).setup(net)
    rng = np.random.default_rng(0)

    def train_step(net, optimizer, x, t):
        order = rng.permutation(len(x))
        net.cleargrads()
        loss = F.softmax_cross_entropy(net(x[order]), t)  # <- loss = F.softmax_cross_entropy(net(x[order]), t[order])
        loss.backward()
        optimizer.update()
        return loss

    return train_step, net, optimizer, *_blobs()


@mistake("changed_in_place")
def buffer_filled_again_before_backward():
    net = Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 3))
    optimizer = optimizers.SGD(0.05).setup(net)
    buffer = np.empty((8, 4), np.float32)

    def train_step(net, optimizer, x, t):
        net.cleargrads()
        loss = 0.0
        for i in range(0, 32, 8):
            buffer[...] = x[i : i + 8]
            scores = net(Variable(buffer))  # <- scores = net(Variable(buffer.copy()))
            loss = loss + F.softmax_cross_entropy(scores, t[i : i + 8])
        loss.backward()
        optimizer.update()
        return loss

    return train_step, net, optimizer, *_blobs()

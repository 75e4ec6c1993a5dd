"""Healthy networks and losses in AutoLab."""

from __future__ import annotations

import numpy as np

from autolab import Link, Parameter, Sequential, Variable, initializers, no_grad, test_mode
from autolab import functions as F
from autolab import links as L
from diagnosis.case import healthy


def _normal(*shape):
    return np.random.randn(*shape).astype(np.float32)


def _uniform(*shape):
    return np.random.rand(*shape).astype(np.float32)


def _blobs(n=32, features=4, classes=3):
    t = np.random.randint(0, classes, n)
    return 0.5 * _normal(n, features) + 2 * _normal(classes, features)[t], t


def _mlp(a, hidden, b):
    return Sequential(L.Linear(a, hidden), F.relu, L.Linear(hidden, b))


def _classify(model, x, t):
    return F.softmax_cross_entropy(model(x), t)


def _regress(model, x, y):
    return F.mean_squared_error(model(x), y)


@healthy
def mlp():
    return _classify, L.MLP((32, 32, 3)), *_blobs()


@healthy
def classifier_link():
    def loss_fn(model, x, t):
        return model(x, t)

    return loss_fn, L.Classifier(L.MLP((16, 3))), *_blobs()


@healthy
def linear_regression_with_one_output():
    x = _normal(40, 5)
    return _regress, L.Linear(5, 1), x, x @ _normal(5, 1)


@healthy
def logistic_regression():
    x = _normal(40, 4)
    return lambda m, x, t: F.sigmoid_cross_entropy(m(x), t), L.Linear(4, 1), x, (x[:, :1] > 0).astype(np.int64)


@healthy
def sigmoid_and_binary_cross_entropy():
    def loss_fn(model, x, t):
        return F.binary_cross_entropy(F.sigmoid(model(x)), t)

    x = _normal(40, 4)
    return loss_fn, _mlp(4, 16, 1), x, (x[:, :1] > 0).astype(np.float32)


@healthy
def log_softmax_and_nll():
    return lambda m, x, t: F.nll_loss(F.log_softmax(m(x)), t), _mlp(4, 16, 3), *_blobs()


@healthy
def convolutions():
    class LeNet(Link):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = L.Conv2D(1, 6, 3, pad=1), L.Conv2D(6, 8, 3)
            self.fc = L.Linear(None, 3)

        def forward(self, x):
            h = F.max_pool2d(F.relu(self.conv1(x)), 2)
            h = F.relu(self.conv2(h))
            return self.fc(F.reshape(h, (len(x), -1)))

    return _classify, LeNet(), _normal(8, 1, 10, 10), np.random.randint(0, 3, 8)


@healthy
def residual_block_with_batch_norm():
    class Block(Link):
        def __init__(self):
            super().__init__()
            self.inp, self.l1, self.bn1 = L.Linear(4, 16), L.Linear(16, 16), L.BatchNormalization(16)
            self.l2, self.bn2, self.out = L.Linear(16, 16), L.BatchNormalization(16), L.Linear(16, 3)

        def forward(self, x):
            h = self.inp(x)
            r = F.relu(self.bn1(self.l1(h)))
            return self.out(F.relu(h + self.bn2(self.l2(r))))

    return _classify, Block(), *_blobs()


@healthy
def last_layer_starts_at_zero():
    return _classify, Sequential(L.Linear(4, 32), F.relu, L.Linear(32, 3, initialW=0)), *_blobs()


@healthy
def rezero():
    class ReZero(Link):
        def __init__(self):
            super().__init__()
            self.inp, self.l1, self.l2, self.out = L.Linear(4, 16), L.Linear(16, 16), L.Linear(16, 16), L.Linear(16, 3)
            self.alpha = Parameter(np.zeros(2, np.float32))

        def forward(self, x):
            h = self.inp(x)
            h = h + self.alpha[0] * F.relu(self.l1(h))
            h = h + self.alpha[1] * F.relu(self.l2(h))
            return self.out(h)

    return _classify, ReZero(), *_blobs()


@healthy
def layer_norm_and_gelu():
    model = Sequential(L.Linear(4, 32), L.LayerNormalization(32), F.gelu, L.Linear(32, 3))
    return _classify, model, *_blobs()


@healthy
def dropout_while_training():
    return _classify, Sequential(L.Linear(4, 64), F.relu, L.Dropout(0.5), L.Linear(64, 3)), *_blobs()


@healthy
def lstm_classifier():
    class Model(Link):
        def __init__(self):
            super().__init__()
            self.lstm, self.fc = L.LSTM(3, 12), L.Linear(12, 2)

        def forward(self, x):
            states, _ = self.lstm(x)
            return self.fc(states[:, -1])

    x = _normal(12, 6, 3)
    return _classify, Model(), x, (x[:, -1, 0] > 0).astype(np.int64)


@healthy
def gru_regression():
    class Model(Link):
        def __init__(self):
            super().__init__()
            self.gru, self.fc = L.GRU(2, 12), L.Linear(12, 1)

        def forward(self, x):
            _, last = self.gru(x)
            return self.fc(last)

    x = _normal(12, 6, 2)
    return _regress, Model(), x, x[:, :, :1].mean(axis=1)


@healthy(causal=True)
def causal_transformer():
    class GPT(Link):
        def __init__(self):
            super().__init__()
            self.embed, self.place = L.Embedding(12, 16), Parameter(initializers.Normal(0.1), (8, 16))
            self.block1 = L.TransformerEncoderLayer(16, 2, norm_first=True, causal=True)
            self.block2 = L.TransformerEncoderLayer(16, 2, norm_first=True, causal=True)
            self.norm, self.head = L.LayerNormalization(16), L.Linear(16, 12)

        def forward(self, tokens):
            h = self.embed(tokens) + self.place
            return self.head(self.norm(self.block2(self.block1(h))))

    def loss_fn(model, tokens):
        return F.softmax_cross_entropy(model(tokens[:, :-1]), tokens[:, 1:])

    return loss_fn, GPT(), (np.arange(9) + np.arange(6)[:, None]) % 12


@healthy
def tied_weights():
    class Model(Link):
        def __init__(self):
            super().__init__()
            self.embed, self.mix = L.Embedding(12, 16, initialW=initializers.Normal(0.3)), L.Linear(16, 16)

        def forward(self, tokens):
            h = F.tanh(self.mix(self.embed(tokens)))
            return h @ F.transpose(self.embed.W)

    tokens = np.arange(24) % 12
    return _classify, Model(), tokens, (tokens + 1) % 12


@healthy
def embedding_of_some_words():
    class Bag(Link):
        def __init__(self):
            super().__init__()
            self.embed, self.fc = L.Embedding(50, 8), L.Linear(8, 2)

        def forward(self, tokens):
            return self.fc(F.mean(self.embed(tokens), axis=1))

    tokens = np.random.randint(0, 20, (16, 5))
    return _classify, Bag(), tokens, (tokens[:, 0] > 9).astype(np.int64)


@healthy
def variational_autoencoder():
    class VAE(Link):
        def __init__(self):
            super().__init__()
            self.enc, self.mu, self.logvar, self.dec = (
                L.Linear(12, 16),
                L.Linear(16, 3),
                L.Linear(16, 3),
                _mlp(3, 16, 12),
            )
            self.rng = np.random.default_rng(0)

        def forward(self, x):
            h = F.relu(self.enc(x))
            mu, logvar = self.mu(h), F.clip(self.logvar(h), -8, 8)
            noise = self.rng.standard_normal(mu.shape).astype(np.float32)
            return self.dec(mu + noise * F.exp(0.5 * logvar)), mu, logvar

    def elbo(vae, x):
        recon, mu, logvar = vae(x)
        bce = F.sum(F.softplus(recon) - x * recon)
        return bce - 0.5 * F.sum(1 + logvar - mu**2 - F.exp(logvar))

    return elbo, VAE(), (_uniform(24, 12) > 0.7).astype(np.float32)


@healthy
def discriminator_with_a_detached_fake():
    generator, discriminator = _mlp(3, 16, 4), _mlp(4, 16, 1)

    def d_loss(discriminator, real, z):
        fake = generator(z).detach()
        return F.mean(F.softplus(-discriminator(real))) + F.mean(F.softplus(discriminator(fake)))

    return d_loss, discriminator, _normal(16, 4) + 2, _normal(16, 3)


@healthy
def simsiam():
    class SimSiam(Link):
        def __init__(self):
            super().__init__()
            self.encoder, self.predictor = _mlp(6, 32, 8), _mlp(8, 8, 8)

        def forward(self, x):
            z = self.encoder(x)
            return self.predictor(z), z.detach()

    def loss_fn(model, a, b):
        (p1, z1), (p2, z2) = model(a), model(b)
        return -(F.mean(F.cosine_similarity(p1, z2)) + F.mean(F.cosine_similarity(p2, z1))) / 2

    a = _normal(16, 6)
    return loss_fn, SimSiam(), a + 0.1 * _normal(16, 6), a


@healthy
def info_nce():
    def loss_fn(encoder, a, b):
        za, zb = F.normalize(encoder(a)), F.normalize(encoder(b))
        return F.softmax_cross_entropy(za @ F.transpose(zb) / 0.1, np.arange(len(a)))

    a = _normal(16, 6)
    return loss_fn, _mlp(6, 32, 8), a, a + 0.1 * _normal(16, 6)


@healthy
def reinforce_with_a_baseline():
    class ActorCritic(Link):
        def __init__(self):
            super().__init__()
            self.actor, self.critic = _mlp(4, 16, 2), _mlp(4, 16, 1)

    def loss_fn(model, states, actions, returns):
        logp = F.log_softmax(model.actor(states))[np.arange(len(states)), actions]
        value = model.critic(states)[:, 0]
        advantage = returns - value.data
        return -F.mean(logp * advantage) + 0.5 * F.mean((value - returns) ** 2)

    s = _normal(24, 4)
    return loss_fn, ActorCritic(), s, np.random.randint(0, 2, 24), s[:, 0] + 1


@healthy
def dqn():
    q_net, target_net = _mlp(4, 32, 2), _mlp(4, 32, 2)
    target_net.copyparams(q_net)

    def td_loss(q_net, s, a, r, s2):
        q = q_net(s)[np.arange(len(s)), a]
        with no_grad():
            target = r + 0.9 * F.max(target_net(s2), axis=1)
        return F.mean(F.smooth_l1(q, target))

    s = _normal(24, 4)
    return td_loss, q_net, s, np.random.randint(0, 2, 24), s[:, 0], _normal(24, 4)


@healthy
def frozen_backbone():
    class Finetuned(Link):
        def __init__(self):
            super().__init__()
            self.backbone, self.head = Sequential(L.Linear(4, 16), F.relu), L.Linear(16, 3)
            self.backbone.freeze()

        def forward(self, x):
            return self.head(self.backbone(x))

    return _classify, Finetuned(), *_blobs()


@healthy
def masked_loss():
    def loss_fn(model, x, y, mask):
        error = (model(x)[..., 0] - y) ** 2
        return F.sum(error * mask) / mask.sum()

    x = _normal(6, 8, 3)
    return loss_fn, _mlp(3, 16, 1), x, x.sum(axis=-1), (_uniform(6, 8) < 0.6).astype(np.float32)


@healthy
def ignored_labels():
    x, t = _blobs()
    t[::4] = -1
    return lambda m, x, t: F.softmax_cross_entropy(m(x), t, ignore_label=-1), _mlp(4, 16, 3), x, t


@healthy
def straight_through_quantization():
    class Quantized(Link):
        def __init__(self):
            super().__init__()
            self.l1, self.l2 = L.Linear(4, 16), L.Linear(16, 3)

        def forward(self, x):
            h = F.tanh(self.l1(x))
            q = np.round(h.data * 4) / 4
            return self.l2(h + (q - h.data))

    return _classify, Quantized(), *_blobs()


@healthy
def gaussian_likelihood_with_clamped_variance():
    def nll(model, x, y):
        out = model(x)
        mean, logvar = out[:, :1], F.clip(out[:, 1:], -4, 4)
        return 0.5 * F.mean(logvar + (y - mean) ** 2 / F.exp(logvar))

    x = _normal(40, 2)
    return nll, _mlp(2, 16, 2), x, x[:, :1]


@healthy
def focal_loss():
    def loss_fn(model, x, t):
        bce = F.softplus(model(x)) - t * model(x)
        return F.mean((1 - F.exp(-bce)) ** 2 * bce)

    x = _normal(40, 4)
    return loss_fn, _mlp(4, 16, 1), x, (x[:, :1] > 0.5).astype(np.float32)


@healthy
def triplet_margin():
    def loss_fn(embed, a, p, n):
        return F.triplet(embed(a), embed(p), embed(n))

    a = _normal(24, 4)
    return loss_fn, _mlp(4, 16, 8), a, a + 0.1 * _normal(24, 4), _normal(24, 4)


@healthy
def one_hot_targets_with_squares():
    x, t = _blobs()
    return _regress, Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 3), F.softmax), x, np.eye(3, dtype=np.float32)[t]


@healthy
def mixture_density():
    def nll(net, x, y):
        out = net(x)
        logits, mu, log_sigma = out[:, :3], out[:, 3:6], out[:, 6:]
        parts = -0.5 * ((y - mu) / F.exp(log_sigma)) ** 2 - log_sigma
        return -F.mean(F.logsumexp(F.log_softmax(logits) + parts, axis=1))

    y = _uniform(40, 1) * 2 - 1
    return nll, _mlp(1, 16, 9), y + 0.3 * np.sin(6 * y), y


@healthy
def pairwise_ranking():
    x = _normal(24, 4)
    better = x + np.array([0.5, 0, 0, 0], np.float32)
    return lambda m, a, b: F.mean(F.softplus(m(b) - m(a))), _mlp(4, 16, 1), better, x


@healthy
def quantile_regression():
    def pinball(model, x, y):
        error = y - model(x)
        q = np.array([0.1, 0.5, 0.9], np.float32)
        return F.mean(F.maximum(q * error, (q - 1) * error))

    x = _normal(40, 2)
    return pinball, _mlp(2, 16, 3), x, x[:, :1] + 0.3 * _normal(40, 1)


class _Point(Link):
    def __init__(self, *start):
        super().__init__()
        self.p = Parameter(np.array(start))

    def forward(self):
        return self.p


@healthy
def rosenbrock():
    def banana(point):
        x, y = point()
        return (1 - x) ** 2 + 100 * (y - x**2) ** 2

    return banana, _Point(-1.2, 1.0)


@healthy
def sum_of_squares_of_one_parameter():
    return lambda point: F.sum(point() ** 2), _Point(1.0, -2.0, 0.5)


@healthy(learns=False)
def a_formula_of_plain_numbers():
    def formula(x, y):
        return F.sin(x) * y + x**2 / (1 + y**2)

    return formula, Variable(np.array(0.7)), Variable(np.array(-1.3))


@healthy(learns=False)
def evaluation_as_it_should_be():
    model = Sequential(L.Linear(4, 16), L.BatchNormalization(16), F.relu, L.Dropout(0.5), L.Linear(16, 3))
    x, t = _blobs()
    model(x)

    def evaluate(model, x, t):
        with no_grad(), test_mode():
            return F.softmax_cross_entropy(model(x), t)

    return evaluate, model, x, t

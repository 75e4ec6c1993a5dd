"""Further programs in PyTorch of the kinds that are easily missed: another spelling of the same mistake."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


def _blobs(n=32, features=4, classes=3):
    t = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.5 + 2 * torch.randn(classes, features)[t], t


def _sides(n=32, features=4):
    x = torch.randn(n, features)
    return x, (x[:, :1] > 0).float()


def _mlp(a, hidden, b):
    return nn.Sequential(nn.Linear(a, hidden), nn.ReLU(), nn.Linear(hidden, b))


def _class_loss(model, x, y):
    return F.cross_entropy(model(x), y)


# ---------------------------------------------------------------------------------------------- cut gradients
@mistake("cut_gradient")
def error_rate_given_a_gradient():
    def loss_fn(model, x, y):
        scores = model(x)
        predicted = torch.max(scores, 1)[1]  # <- predicted = scores
        wrong = (predicted != y).float().mean()  # <- wrong = F.cross_entropy(predicted, y)
        return wrong.requires_grad_()  # <- return wrong

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("cut_gradient")
def hits_counted_in_a_loop():
    def loss_fn(model, x, y):
        missed = 0
        for score, side in zip(model(x), y, strict=True):
            if (score.item() > 0) != bool(side):  # <- if True:
                missed += 1  # <- missed = missed + F.softplus(score * (1 - 2 * side)).sum()
        loss = torch.tensor(missed / len(x))  # <- loss = missed / len(x)
        loss.requires_grad = True  # <- pass
        return loss

    return loss_fn, nn.Linear(4, 1), *_sides()


@mistake("cut_gradient")
def top_three_by_indices():
    def loss_fn(model, x, y):
        best = model(x).topk(2, dim=1).indices  # <- best = model(x)
        missed = ~(best == y[:, None]).any(dim=1)  # <- missed = F.cross_entropy(best, y)
        return missed.float().mean().requires_grad_(True)  # <- return missed

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("cut_gradient")
def zero_one_hinge_added_to_a_leaf():
    def loss_fn(model, x, y):
        total = torch.zeros(1, requires_grad=True)
        margin = model(x) * (2 * y - 1)
        return total + (margin < 1).float().mean()  # <- return total + F.relu(1 - margin).mean()

    return loss_fn, nn.Linear(4, 1), *_sides()


# ---------------------------------------------------------------------------------------------- dropped results
@mistake("unreached_parameter")
def projection_is_overwritten():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.project = _mlp(8, 16, 4), nn.Linear(8, 4)  # <-
            self.head = nn.Linear(4, 3)

        def forward(self, x):
            skip = self.project(x)  # <-
            h = self.body(x)
            skip = x[:, :4]  # <- pass
            return self.head(torch.relu(h + skip))

    return _class_loss, Block(), *_blobs(features=8)


@mistake("unreached_parameter")
def every_layer_gets_the_first_input():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 6)])  # <-
            self.head = nn.Linear(6, 3)

        def forward(self, x):
            for layer in self.layers:
                out = torch.relu(layer(x))  # <- out = x = torch.relu(layer(x))
            return self.head(out)

    return _class_loss, Net(), *_blobs(features=6)


@mistake("unreached_parameter")
def normalised_activations_are_not_passed_on():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1 = nn.Linear(4, 16)
            self.norm = nn.LayerNorm(16)  # <-
            self.fc2 = nn.Linear(16, 3)

        def forward(self, x):
            h = torch.relu(self.fc1(x))
            normed = self.norm(h)  # noqa: F841  # <-
            return self.fc2(h)  # <- return self.fc2(normed)

    return _class_loss, Net(), *_blobs()


@mistake("unreached_parameter")
def result_without_a_name():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.hidden, self.out = nn.Linear(4, 16), nn.Linear(16, 16), nn.Linear(16, 3)  # <-

        def forward(self, x):
            x = torch.relu(self.inp(x))
            self.hidden(x).relu_()  # <- x = self.hidden(x).relu_()
            return self.out(x)

    return _class_loss, Net(), *_blobs()


@mistake("unreached_parameter", outside=True)
def branch_of_a_dict_is_never_called():
    branches = nn.ModuleDict({"short": nn.Linear(4, 8), "long": nn.Linear(4, 8)})  # <-
    head = nn.Linear(8, 3)
    model = nn.ModuleDict({"branches": branches, "head": head})  # <-

    def loss_fn(model, x, y):
        h = model["branches"]["short"](x)  # <-
        h = h + model["branches"]["short"](x)  # <- h = h + model["branches"]["long"](x)
        return F.cross_entropy(model["head"](h), y)

    return loss_fn, model, *_blobs()


@mistake("unregistered_parameter")
def adapter_is_no_module():
    class Adapter:
        def __init__(self, size):
            self.down, self.up = nn.Linear(size, 2), nn.Linear(2, size)

        def __call__(self, h):
            return h + self.up(torch.relu(self.down(h)))  # <-

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 16)
            self.adapter, self.out = Adapter(16), nn.Linear(16, 3)  # <-

        def forward(self, x):
            return self.out(self.adapter(torch.relu(self.fc(x))))  # <-

    return _class_loss, Net(), *_blobs()


@mistake("unregistered_parameter")
def heads_are_set_as_a_dict():
    heads = {"a": nn.Linear(16, 3)}  # <-

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 16)
            self.heads = heads  # <- self.heads = nn.ModuleDict(heads)

        def forward(self, x):
            return self.heads["a"](torch.relu(self.body(x)))  # <-

    return _class_loss, Net(), *_blobs()


# ---------------------------------------------------------------------------------------------- steps
@mistake("learning_rate", "does_not_overfit", "vanishing", steps=20)
def gradients_clipped_to_nothing():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train_step(model, optimizer, x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-7)  # <- 1e-7 => 1.0
        optimizer.step()
        return loss

    return train_step, model, optimizer, *_blobs()


@mistake("learning_rate", "does_not_overfit", "gradients_cleared", "vanishing", steps=20)
def gradients_divided_by_the_loss_scale_twice():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train_step(model, optimizer, x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        (loss * 2.0**12).backward()
        for p in model.parameters():
            p.grad /= 2.0**36  # <- p.grad /= 2.0**12
        optimizer.step()
        return loss

    return train_step, model, optimizer, *_blobs()


@mistake("gradients_cleared", "learning_rate", "does_not_overfit", steps=20)
def update_before_backward():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_step(model, optimizer, x, y):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()  # <- optimizer.zero_grad(); loss.backward()
        optimizer.step()  # <-
        loss.backward()  # <- pass
        return loss

    return train_step, model, optimizer, *_blobs()


@mistake("gradients_cleared", "learning_rate", "does_not_overfit", steps=20)
def gradients_set_to_none_by_hand():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train_step(model, optimizer, x, y):
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        for p in model.parameters():  # <- for p in ():
            p.grad = None  # <-
        optimizer.step()  # <- optimizer.step(); optimizer.zero_grad()
        return loss

    return train_step, model, optimizer, *_blobs()


@mistake("does_not_overfit", "learning_rate", "gradients_cleared", "gradients_accumulate", steps=20, outside=True)
def step_is_never_called():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train_step(model, optimizer, x, y):  # <-
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()  # <- loss.backward(); optimizer.step()
        return loss

    return train_step, model, optimizer, *_blobs()


@mistake("shuffled_labels", "does_not_overfit", steps=20)
def labels_drawn_in_the_step():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_step(model, optimizer, x, y):
        y = torch.randint(0, 3, (len(x),))  # <- pass
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)  # <-
        loss.backward()
        optimizer.step()
        return loss

    return train_step, model, optimizer, *_blobs()


@mistake("shuffled_labels", "does_not_overfit")
def targets_of_noise():
    def loss_fn(model, x, y):
        target = torch.randn_like(y)  # <- target = y
        return F.mse_loss(model(x), target)  # <-

    x = torch.randn(32, 4)
    return loss_fn, _mlp(4, 16, 1), x, x[:, :1]


@mistake("shuffled_labels", "does_not_overfit", "mixed_examples")
def labels_permuted_on_their_own():
    def loss_fn(model, x, y):
        y = y[torch.randperm(len(y))]  # <- pass
        return F.cross_entropy(model(x), y)

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("shuffled_labels", "mixed_examples", "wrong_axis")
def predictions_reversed():
    def loss_fn(model, x, y):
        pred = model(x)
        pred = pred.flip(0)  # <- pass
        return F.mse_loss(pred, y)  # <-

    x = torch.randn(32, 4)
    return loss_fn, _mlp(4, 16, 1), x, x[:, :1]


@mistake("shuffled_labels", "mixed_examples", "wrong_axis")
def steps_first_against_examples_first():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.rnn, self.out = nn.Embedding(10, 8), nn.GRU(8, 16), nn.Linear(16, 4)

        def forward(self, tokens):
            h, _ = self.rnn(self.embed(tokens.T))  # <-
            return self.out(h)  # <- return self.out(h.transpose(0, 1))

    def loss_fn(model, tokens, tags):
        scores = model(tokens).reshape(-1, 4)  # <-
        return F.cross_entropy(scores, tags.reshape(-1))  # <-

    tokens = torch.randint(0, 10, (6, 7))
    return loss_fn, Tagger(), tokens, tokens % 4


@mistake("shuffled_labels", "mixed_examples", "wrong_axis")
def targets_rolled_by_one_example():
    def loss_fn(model, x, y):
        y = torch.roll(y, 1, 0)  # <- pass
        return F.cross_entropy(model(x), y)  # <-

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("shuffled_labels", "mixed_examples", "wrong_axis")
def targets_repeated_and_inputs_interleaved():
    def loss_fn(model, x, y):
        several = x.repeat_interleave(3, 0) + 0.1 * torch.randn(96, 4)
        targets = y.repeat(3)  # <- targets = y.repeat_interleave(3)
        return F.cross_entropy(model(several), targets)  # <-

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("shuffled_labels", "mixed_examples", "wrong_axis")
def halves_put_together_in_another_order():
    def loss_fn(model, x, y):
        pred = torch.cat([model(x[::2]), model(x[1::2])])  # <- pred = model(x)
        return F.mse_loss(pred, y)  # <-

    x = torch.randn(32, 4)
    return loss_fn, _mlp(4, 16, 1), x, x[:, :1]


@mistake("mixed_examples", "shuffled_labels", "wrong_axis")
def steps_stacked_and_viewed():
    class Forecaster(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.out = nn.GRUCell(2, 8), nn.Linear(8, 1)

        def forward(self, x):
            h, found = torch.zeros(len(x), 8), []
            for t in range(x.shape[1]):
                h = self.cell(x[:, t], h)
                found.append(self.out(h).squeeze(1))
            return torch.stack(found).view(len(x), -1)  # <- return torch.stack(found, dim=1)

    def loss_fn(model, x, y):
        return F.mse_loss(model(x), y)  # <-

    x = torch.randn(9, 4, 2)
    return loss_fn, Forecaster(), x, x[..., 0]


# ---------------------------------------------------------------------------------------------- axes
@mistake("mixed_examples", "wrong_axis", "shuffled_labels")
def square_outputs_transposed():
    def loss_fn(model, x, y):
        pred = model(x)
        return F.mse_loss(pred.t(), y)  # <- return F.mse_loss(pred, y)

    x = torch.randn(8, 5)
    return loss_fn, nn.Linear(5, 8), x, x @ torch.randn(5, 8)


@mistake("mixed_examples", "wrong_axis", "shuffled_labels")
def images_flattened_in_pairs():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.out = nn.Conv2d(1, 4, 3), nn.Linear(64, 1)

        def forward(self, x):
            h = torch.relu(self.conv(x)).permute(1, 0, 2, 3)  # <- .permute(1, 0, 2, 3) =>
            return self.out(h.reshape(len(x), -1))  # <-

    def loss_fn(model, x, y):
        return F.mse_loss(model(x), y)

    x = torch.randn(10, 1, 6, 6)
    return loss_fn, Net(), x, x.mean((1, 2, 3))[:, None]


@mistake("wrong_axis", "mixed_examples")
def own_layer_norm_over_the_batch():
    class Norm(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.gain, self.shift = nn.Parameter(torch.ones(size)), nn.Parameter(torch.zeros(size))

        def forward(self, x):
            mean = x.mean(0, keepdim=True)  # <- 0 => -1
            var = x.var(0, keepdim=True, unbiased=False)  # <- 0 => -1
            return self.gain * (x - mean) / torch.sqrt(var + 1e-5) + self.shift  # <-

    model = nn.Sequential(nn.Linear(4, 16), Norm(16), nn.ReLU(), nn.Linear(16, 3))
    return _class_loss, model, *_blobs()


@mistake("wrong_axis", "mixed_examples")
def tokens_centred_over_the_batch():
    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.out = nn.Embedding(20, 8), nn.Linear(8, 3)

        def forward(self, tokens):
            h = self.embed(tokens)
            h = h - h.mean(dim=0)  # <- h = h - h.mean(dim=-1, keepdim=True)
            h = h / h.std(dim=0)  # <- h = h / (h.std(dim=-1, keepdim=True) + 1e-3)
            return self.out(h.mean(dim=1))

    tokens = torch.randint(0, 20, (12, 7))
    return _class_loss, Encoder(), tokens, tokens[:, 0] % 3


@mistake("wrong_axis", "mixed_examples")
def scaled_by_the_largest_of_the_batch():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 16), nn.Linear(16, 1)

        def forward(self, x):
            h = torch.relu(self.fc1(x))
            h = h / (h.amax(dim=0) + 1e-6)  # <- h = h / (h.amax(dim=1, keepdim=True) + 1e-6)
            return self.fc2(h)

    def loss_fn(model, x, y):
        return F.mse_loss(model(x), y)

    x = torch.randn(32, 4)
    return loss_fn, Net(), x, x[:, :1]


@mistake("softmax_over_batch", "mixed_examples", "wrong_axis")
def attention_pooling_over_the_batch():
    class Pool(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.score, self.out = nn.Embedding(20, 8), nn.Linear(8, 1), nn.Linear(8, 3)

        def forward(self, tokens):
            h = self.embed(tokens)
            weights = torch.softmax(self.score(h), dim=0)  # <- 0 => 1
            return self.out((weights * h).sum(dim=1))

    tokens = torch.randint(0, 20, (12, 7))
    return _class_loss, Pool(), tokens, tokens[:, 0] % 3


@mistake("softmax_over_batch", "mixed_examples", "wrong_axis")
def self_attention_with_softmax_over_axis_0():
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.qkv, self.out = nn.Embedding(20, 8), nn.Linear(8, 24), nn.Linear(8, 3)

        def forward(self, tokens):
            q, k, v = self.qkv(self.embed(tokens)).chunk(3, dim=-1)
            weights = F.softmax(q @ k.transpose(1, 2) / 8**0.5, dim=0)  # <- dim=0 => dim=-1
            return self.out((weights @ v).mean(dim=1))

    tokens = torch.randint(0, 20, (12, 7))
    return _class_loss, Attention(), tokens, tokens[:, 0] % 3


@mistake("softmax_over_batch", "mixed_examples", "wrong_axis", learns=False)
def log_softmax_of_sequences_over_the_batch():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.out = nn.Embedding(20, 8), nn.Linear(8, 5)

        def forward(self, tokens):
            return F.log_softmax(self.out(self.embed(tokens)), dim=0)  # <- 0 => 2

    def loss_fn(model, tokens, tags):
        return F.nll_loss(model(tokens).flatten(0, 1), tags.flatten())

    tokens = torch.randint(0, 20, (12, 7))
    return loss_fn, Tagger(), tokens, tokens % 5


@mistake("wrong_axis", "mixed_examples")
def similarity_over_the_batch():
    def loss_fn(model, a, b):
        alike = F.cosine_similarity(model(a), model(b), dim=0)  # <- 0 => 1
        return 1 - alike.mean()

    a = torch.randn(16, 6)
    return loss_fn, nn.Linear(6, 4), a, a + 0.3 * torch.randn(16, 6)


@mistake("constant_output", "wrong_axis", "mixed_examples", "broadcast_loss")
def one_prediction_for_the_whole_batch():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.out = nn.Linear(4, 16), nn.Linear(16, 1)

        def forward(self, x):
            h = torch.relu(self.body(x))
            return self.out(h).mean(0)  # <- return self.out(h)

    def loss_fn(model, x, y):
        return F.mse_loss(model(x), y)  # <-

    x = torch.randn(32, 4)
    return loss_fn, Net(), x, x[:, :1]


@mistake("constant_output", "wrong_axis", "mixed_examples", "broadcast_loss")
def graph_readout_over_all_graphs():
    def loss_fn(model, nodes, energy):
        predicted = model(nodes).sum()  # <- predicted = model(nodes).sum(dim=(1, 2))
        return ((predicted - energy) ** 2).mean()  # <-

    nodes = torch.randn(12, 5, 4)
    return loss_fn, _mlp(4, 16, 1), nodes, nodes[..., 0].mean(1)


# ---------------------------------------------------------------------------------------------- nonlinearities
@mistake("double_softmax")
def probabilities_as_logits_of_a_distribution():
    squash = nn.Softmax(dim=-1)  # <- squash = nn.Identity()
    policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3), squash)

    def loss_fn(policy, states, actions, returns):
        chosen = torch.distributions.Categorical(logits=policy(states))  # <-
        return -(chosen.log_prob(actions) * returns).mean()

    states, actions = _blobs()
    return loss_fn, policy, states, actions, torch.rand(32) + 0.5


@mistake("double_softmax")
def softmax_over_a_temperature():
    def loss_fn(model, x, y):
        p = F.softmax(model(x), dim=1)  # <- p = model(x)
        return F.cross_entropy(p / 0.5, y)  # <-

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("double_softmax")
def softmax_twice():
    def loss_fn(model, x, y):
        p = model(x).softmax(1)  # <- p = model(x)
        q = torch.softmax(p, dim=1)  # <-
        return F.nll_loss(torch.log(q), y)

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("double_softmax")
def softmax_by_hand_and_logsumexp():
    def loss_fn(model, x, y):
        scores = model(x).exp()  # <- scores = model(x)
        scores = scores / scores.sum(1, keepdim=True)  # <- pass
        log_p = scores - scores.logsumexp(1, keepdim=True)  # <-
        return -log_p.gather(1, y[:, None]).mean()

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("double_sigmoid")
def sigmoid_twice():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())  # <- , nn.Sigmoid() =>

    def loss_fn(model, x, y):
        p = torch.sigmoid(model(x))  # <-
        return F.binary_cross_entropy(p, y)

    return loss_fn, model, *_sides()


@mistake("double_sigmoid")
def stable_logistic_loss_of_a_probability():
    def loss_fn(model, x, y):
        z = torch.sigmoid(model(x))  # <- z = model(x)
        return (z.clamp(min=0) - z * y + torch.log1p(torch.exp(-z.abs()))).mean()  # <-

    return loss_fn, _mlp(4, 16, 1), *_sides()


@mistake("double_sigmoid")
def sigmoids_by_hand():
    def squash(z):
        return 1 / (1 + torch.exp(-z))

    def loss_fn(model, x, y):
        p = squash(model(x))  # <- p = model(x)
        p = squash(p)  # <-
        return -(y * p.log() + (1 - y) * (1 - p).log()).mean()

    return loss_fn, nn.Linear(4, 1), *_sides()


@mistake("double_sigmoid")
def softplus_loss_of_a_sigmoid():
    def loss_fn(model, x, y):
        z = model(x).sigmoid()  # <- z = model(x)
        return (F.softplus(z) - y * z).mean()  # <-

    return loss_fn, _mlp(4, 16, 1), *_sides()


@mistake("output_range")
def softplus_for_signed_targets():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1), nn.Softplus())  # <- , nn.Softplus() =>

    def loss_fn(model, x, y):
        return F.mse_loss(model(x), y)  # <-

    x = torch.randn(32, 4)
    return loss_fn, model, x, x[:, :1]


@mistake("output_range")
def exponential_for_signed_targets():
    def loss_fn(model, x, y):
        pred = torch.exp(model(x))  # <- pred = model(x)
        return F.l1_loss(pred.squeeze(1), y)  # <-

    x = torch.randn(32, 4)
    return loss_fn, _mlp(4, 16, 1), x, x[:, 0]


@mistake("output_range")
def squared_outputs_for_signed_targets():
    def loss_fn(model, x, y):
        velocity = model(x) ** 2  # <- velocity = model(x)
        return F.smooth_l1_loss(velocity, y)  # <-

    x = torch.randn(32, 4)
    return loss_fn, _mlp(4, 16, 1), x, x[:, :1]


@mistake("rectified_logits", "clamped")
def scores_clamped_at_zero():
    def loss_fn(model, x, y):
        scores = model(x).clamp(min=0)  # <- scores = model(x)
        return F.cross_entropy(scores, y)  # <-

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("rectified_logits", "clamped")
def scores_by_maximum_of_zero():
    def loss_fn(model, x, y):
        z = torch.maximum(model(x), torch.zeros(()))  # <- z = model(x)
        return F.binary_cross_entropy_with_logits(z, y)  # <-

    return loss_fn, _mlp(4, 16, 1), *_sides()


@mistake("dropout", "wrong_mode", learns=False)
def spatial_dropout_in_evaluation():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.fc = nn.Conv2d(1, 8, 3), nn.Linear(8 * 36, 3)

        def forward(self, x):
            h = F.dropout2d(torch.relu(self.conv(x)), 0.3)  # <- 0.3 => 0.3, self.training
            return self.fc(h.flatten(1))

    return _class_loss, Net().eval(), torch.randn(12, 1, 8, 8), torch.randint(0, 3, (12,))


@mistake("dropout", "wrong_mode", learns=False)
def alpha_dropout_in_evaluation():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 32), nn.Linear(32, 3)

        def forward(self, x):
            h = F.selu(self.fc1(x))
            h = F.alpha_dropout(h, 0.2, training=True)  # <- True => self.training
            return self.fc2(h)

    return _class_loss, Net().eval(), *_blobs()


@mistake("dropout", "wrong_mode", learns=False)
def dropout_by_hand_in_evaluation():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 32), nn.Linear(32, 3)

        def forward(self, x):
            h = torch.relu(self.fc1(x))
            h = F.feature_alpha_dropout(h.unsqueeze(2), 0.4, True).squeeze(2)  # <- True => self.training
            return self.fc2(h)

    return _class_loss, Net().eval(), *_blobs()


# ---------------------------------------------------------------------------------------------- sizes
@mistake("vanishing")
def weights_a_hundred_times_too_small():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(12))
            self.inp, self.out = nn.Linear(4, 16), nn.Linear(16, 3)
            for layer in self.layers:
                nn.init.normal_(layer.weight, std=0.002)  # <- nn.init.orthogonal_(layer.weight)
                nn.init.zeros_(layer.bias)

        def forward(self, x):
            h = self.inp(x)  # <-
            for layer in self.layers:
                h = torch.tanh(layer(h))  # <-
            return self.out(h)  # <-

    return _class_loss, Net(), *_blobs()


@mistake("saturated", "large_initialisation", "unnormalised_inputs", "vanishing")
def attention_without_a_scale():
    class Attention(nn.Module):
        def __init__(self, size=64):
            super().__init__()
            self.embed, self.out = nn.Embedding(20, size), nn.Linear(size, 3)
            self.q, self.k = nn.Linear(size, size), nn.Linear(size, size)
            self.scale = size**0.5  # <- self.scale = size**-0.5

        def forward(self, tokens):
            h = self.embed(tokens)
            scores = self.q(h) @ self.k(h).transpose(1, 2) * self.scale  # <-
            weights = F.softmax(scores, dim=-1)  # <-
            return self.out((weights @ h).mean(dim=1))

    tokens = torch.randint(0, 20, (12, 7))
    return _class_loss, Attention(), tokens, tokens[:, 0] % 3


@mistake("saturated", "large_initialisation", "unnormalised_inputs", "vanishing")
def gate_of_experts_without_normalisation():
    class Mixture(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate, self.experts = nn.Linear(4, 4), nn.ModuleList(nn.Linear(4, 3) for _ in range(4))

        def forward(self, x):
            weights = torch.softmax(self.gate(200 * x), dim=1)  # <- 200 * x => x
            out = torch.stack([expert(x) for expert in self.experts], dim=1)
            return (weights.unsqueeze(2) * out).sum(dim=1)

    return _class_loss, Mixture(), *_blobs()


# ---------------------------------------------------------------------------------------------- updates
@mistake("no_backward", steps=20)
def step_without_backward():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def train(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        assert loss.dim() == 0  # <- loss.backward()
        optimizer.step()  # <-
        return loss

    return train, *_blobs()


@mistake("uphill", steps=20)
def plus_in_a_loop_by_hand():
    w = torch.zeros(4, 1, requires_grad=True)

    def train(x, y):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w.add_(0.1 * w.grad)  # <- w.sub_(0.1 * w.grad)
            w.grad = None
        return loss

    return train, *_sides()


@mistake("uphill", steps=20)
def loss_with_a_minus_sign():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)

    def train(x, y):
        optimizer.zero_grad()
        loss = -F.cross_entropy(model(x), y)  # <- loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return train, *_blobs()


@mistake("replaced_parameter", steps=20)
def model_made_in_the_step():
    def train(x, y):
        model = nn.Linear(4, 3)
        optimizer = torch.optim.Adam(model.parameters(), 0.01)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()  # <-
        return loss

    return train, *_blobs()


# ---------------------------------------------------------------------------------------------- errors
@mistake("one_hot_target", "wrong_axis", fails="batch_size")
def one_hot_rows_flattened():
    def loss_fn(model, x, y):
        target = F.one_hot(y, 3)  # <- target = y
        return F.cross_entropy(model(x), target.view(-1))  # <-

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("one_hot_target", "wrong_axis", fails="batch_size")
def classes_from_the_wrong_axis():
    def loss_fn(model, x, rows):
        target = rows.argmax(dim=0)  # <- target = rows.argmax(dim=1)
        return F.cross_entropy(model(x), target)  # <-

    x, y = _blobs()
    return loss_fn, _mlp(4, 16, 3), x, F.one_hot(y, 3)


@mistake("one_hot_target", "wrong_axis", fails="multi-target not supported")
def column_of_classes():
    def loss_fn(model, x, y):
        return F.nll_loss(F.log_softmax(model(x), 1), y.unsqueeze(1))  # <- return F.cross_entropy(model(x), y)

    return loss_fn, _mlp(4, 16, 3), *_blobs()

"""Programs in PyTorch over all kinds of mistakes that were written after the rules, and tried on them once."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


def _classes(n=24, features=5, classes=4):
    labels = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.4 + 2 * torch.randn(classes, features)[labels], labels


def _yes_or_no(n=24, features=5):
    x = torch.randn(n, features)
    return x, (x[:, :1] + x[:, 1:2] > 0).float()


def _numbers(n=24, features=5):
    x = torch.randn(n, features)
    return x, x[:, :1] - 0.5 * x[:, 1:2]


def _net(a, b, hidden=20):
    return nn.Sequential(nn.Linear(a, hidden), nn.Tanh(), nn.Linear(hidden, b))


def _step(model, optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


# ---------------------------------------------------------------------------------------------- gradients
@mistake("cut_gradient", "unreached_parameter")
def state_rebuilt_from_a_list():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.out = nn.Linear(5, 8), nn.Linear(8, 1)

        def forward(self, x):
            h = torch.sigmoid(self.inp(x))
            h = torch.tensor(h.tolist())  # <- pass
            return self.out(h)

    def objective(model, x, y):
        return F.mse_loss(model(x), y)

    return objective, Counter(), *_numbers()


@mistake("cut_gradient")
def sign_activation():
    class Binary(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.out = nn.Linear(5, 16), nn.Linear(16, 4)

        def forward(self, x):
            code = torch.sign(self.inp(x))  # <- code = torch.tanh(self.inp(x))
            return self.out(code)

    return lambda model, x, y: F.cross_entropy(model(x), y), Binary(), *_classes()


@mistake("unreached_parameter")
def second_branch_uses_the_first_encoder():
    class Siamese(nn.Module):
        def __init__(self):
            super().__init__()
            self.text, self.image = nn.Linear(5, 6), nn.Linear(5, 6)  # <-

        def forward(self, a, b):
            za = F.normalize(self.text(a), dim=1)  # <-
            zb = F.normalize(self.text(b), dim=1)  # <- zb = F.normalize(self.image(b), dim=1)
            return za, zb

    def objective(model, a, b):
        za, zb = model(a, b)
        return F.cross_entropy(za @ zb.T / 0.2, torch.arange(len(a)))

    a = torch.randn(16, 5)
    return objective, Siamese(), a, a.flip(1) + 0.1 * torch.randn(16, 5)


@mistake("unreached_parameter")
def residual_branch_is_computed_and_forgotten():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.mix, self.head = nn.LayerNorm(5), nn.Linear(5, 5), nn.Linear(5, 4)  # <-

        def forward(self, x):
            update = self.mix(self.norm(x))  # <-
            update = F.gelu(x)  # <- update = F.gelu(update)
            return self.head(x + update)

    return lambda model, x, y: F.cross_entropy(model(x), y), Block(), *_classes()


@mistake("unregistered_parameter")
def experts_in_a_tuple():
    class Experts(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(5, 2)
            self.experts = tuple(nn.Linear(5, 1) for _ in range(2))  # <- tuple( => nn.ModuleList(

        def forward(self, x):
            weights = self.gate(x).softmax(-1)
            return sum(weights[:, i : i + 1] * expert(x) for i, expert in enumerate(self.experts))  # <-

    return lambda model, x, y: F.mse_loss(model(x), y), Experts(), *_numbers()


@mistake("frozen_parameter", fails="does not require grad", outside=True)
def everything_frozen_by_a_helper():
    def freeze(module):
        for p in module.parameters():
            p.requires_grad_(False)  # <- p.requires_grad_(True)

    model = _net(5, 4)
    freeze(model)  # <-
    return lambda model, x, y: F.cross_entropy(model(x), y), model, *_classes()


@mistake("not_in_optimizer", steps=12, outside=True)
def optimizer_of_the_first_layer_only():
    model = _net(5, 4)
    opt = torch.optim.Adam(model[0].parameters(), lr=1e-2)  # <- model[0] => model

    def train(model, opt, x, y):
        return _step(model, opt, F.cross_entropy(model(x), y))

    return train, model, opt, *_classes()


@mistake("replaced_parameter", "not_in_optimizer", "cut_gradient", steps=12)
def weights_reassigned_by_hand():
    class Line(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.zeros(5, 1))

    def train(model, x, y):
        loss = F.mse_loss(x @ model.w, y)
        loss.backward()
        model.w = nn.Parameter(model.w - 0.1 * model.w.grad)  # <- model.w.data -= 0.1 * model.w.grad
        model.w.grad = None
        return loss

    return train, Line(), *_numbers()


@mistake("gradients_accumulate", steps=12)
def only_one_of_two_models_is_cleared():
    body, head = nn.Linear(5, 8), nn.Linear(8, 4)
    first, second = torch.optim.SGD(body.parameters(), lr=0.05), torch.optim.SGD(head.parameters(), lr=0.05)

    def train(body, head, first, second, x, y):
        first.zero_grad()  # <- first.zero_grad(); second.zero_grad()
        loss = F.cross_entropy(head(torch.tanh(body(x))), y)
        loss.backward()  # <-
        first.step()
        second.step()  # <-
        return loss

    return train, body, head, first, second, *_classes()


@mistake("gradients_cleared", steps=12)
def cleared_right_before_the_step():
    model = _net(5, 1)
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-2)

    def train(model, opt, x, y):
        loss = F.mse_loss(model(x), y)
        loss.backward()
        model.zero_grad()  # <- pass
        opt.step()  # <- opt.step(); model.zero_grad()
        return loss

    return train, model, opt, *_numbers()


@mistake("graph_reused", steps=12, fails="a second time")
def running_average_with_its_history():
    model = _net(5, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    state = {"average": torch.zeros(())}

    def train(model, opt, state, x, y):
        loss = F.mse_loss(model(x), y)
        before = state["average"]  # <- before = state["average"].detach()
        state["average"] = 0.9 * before + 0.1 * loss  # <-
        opt.zero_grad()
        state["average"].backward()  # <-
        opt.step()
        return loss

    return train, model, opt, state, *_numbers()


# ---------------------------------------------------------------------------------------------- shapes and axes
@mistake("broadcast_loss")
def absolute_error_of_a_column():
    def objective(model, x, y):
        error = model(x) - y  # <- error = model(x)[:, 0] - y
        return error.abs().mean()

    x, y = _numbers()
    return objective, _net(5, 1), x, y[:, 0]


@mistake("broadcast_loss")
def huber_of_a_row_and_a_column():
    def objective(model, x, y):
        return F.huber_loss(model(x).flatten(), y)  # <- return F.huber_loss(model(x), y)

    return objective, _net(5, 1), *_numbers()


@mistake("wrong_axis", "mixed_examples")
def images_averaged_over_the_batch():
    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.head = nn.Conv2d(1, 6, 3), nn.Linear(6, 4)

        def forward(self, x):
            h = F.relu(self.conv(x))
            h = h - h.mean(dim=0, keepdim=True)  # <- h = h - h.mean(dim=(2, 3), keepdim=True)
            return self.head(h.amax(dim=(2, 3)))

    return (
        lambda model, x, y: F.cross_entropy(model(x), y),
        Small(),
        torch.randn(10, 1, 7, 7),
        torch.randint(0, 4, (10,)),
    )


@mistake("mixed_examples")
def channels_moved_by_reshape():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.out = nn.Conv1d(3, 6, 3, padding=1), nn.Linear(6, 2)

        def forward(self, x):
            x = x.reshape(x.shape[2], x.shape[0], x.shape[1])  # <- x = x.permute(2, 0, 1)
            h = torch.relu(self.conv(x.permute(1, 2, 0)))
            return self.out(h.mean(2))

    x = torch.randn(9, 3, 6)
    return lambda model, x, y: F.cross_entropy(model(x), y), Net(), x, (x[:, 0].mean(1) > 0).long()


@mistake("softmax_over_batch", "mixed_examples", "wrong_axis")
def attention_of_heads_over_examples():
    class Heads(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.key, self.out = nn.Embedding(15, 8), nn.Linear(8, 2), nn.Linear(16, 3)

        def forward(self, tokens):
            h = self.embed(tokens)
            share = nn.functional.softmax(self.key(h), dim=0)  # <- 0 => 1
            return self.out(torch.einsum("bth,btd->bhd", share, h).flatten(1))

    tokens = torch.randint(0, 15, (10, 6))
    return lambda model, x, y: F.cross_entropy(model(x), y), Heads(), tokens, tokens[:, 1] % 3


@mistake("softmax_over_batch")
def implicit_softmax_over_examples():
    def objective(model, x, y):
        p = torch.softmax(model(x), 0)  # <- 0 => 1
        return -torch.log(p[torch.arange(len(y)), y]).mean()

    return objective, _net(5, 4), *_classes()


@mistake("one_hot_target", "broadcast_loss", fails="multi-target not supported")
def labels_as_a_column():
    def objective(model, x, y):
        return nn.CrossEntropyLoss()(model(x), y)  # <- return nn.CrossEntropyLoss()(model(x), y[:, 0])

    x, y = _classes()
    return objective, _net(5, 4), x, y[:, None]


@mistake("causal_leak", causal=True)
def bidirectional_language_model():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(9, 8)
            self.rnn = nn.GRU(8, 8, batch_first=True, bidirectional=True)  # <- , bidirectional=True =>
            self.out = nn.LazyLinear(9)

        def forward(self, tokens):
            h, _ = self.rnn(self.embed(tokens))  # <-
            return self.out(h)

    def objective(model, tokens):
        return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())

    model = Model()
    tokens = (torch.arange(8) + torch.arange(5)[:, None]) % 9
    model(tokens)
    return objective, model, tokens


# ---------------------------------------------------------------------------------------------- nonlinearities
@mistake("double_softmax")
def attention_classifier_with_softmax_output():
    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = _net(5, 4)

        def forward(self, x):
            scores = self.net(x)
            return torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)  # <- return scores

    return lambda model, x, y: F.cross_entropy(model(x), y, label_smoothing=0.1), Head(), *_classes()  # <-


@mistake("double_sigmoid")
def bernoulli_with_logits_of_probabilities():
    def objective(model, x, y):
        probs = torch.sigmoid(model(x))  # <- probs = model(x)
        return -torch.distributions.Bernoulli(logits=probs).log_prob(y).mean()  # <-

    return objective, _net(5, 1), *_yes_or_no()


@mistake("missing_log")
def kl_of_probabilities():
    def objective(student, x, soft):
        p = F.softmax(student(x), dim=1)  # <- p = F.log_softmax(student(x), dim=1)
        return F.kl_div(p, soft, reduction="batchmean")  # <-

    x, y = _classes()
    return objective, _net(5, 4), x, F.one_hot(y, 4) * 0.8 + 0.05


@mistake("rectified_logits", "clamped")
def last_activation_of_a_loop_is_a_relu():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(5, 12), nn.Linear(12, 12), nn.Linear(12, 4)])

        def forward(self, x):
            for layer in self.layers:
                h = layer(x)
                x = torch.relu(h)  # <-
            return x  # <- return h

    return lambda model, x, y: F.cross_entropy(model(x), y), Net(), *_classes()


@mistake("no_nonlinearity")
def convolutions_without_activation():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv2d(1, 6, 3, padding=1), nn.Conv2d(6, 6, 3, padding=1)
            self.fc = nn.Linear(6 * 25, 3)

        def forward(self, x):
            x = self.a(x)  # <- x = torch.relu(self.a(x))
            x = self.b(x)  # <- x = torch.relu(self.b(x))
            return self.fc(x.flatten(1))  # <-

    x = torch.randn(12, 1, 5, 5)
    return lambda model, x, y: F.cross_entropy(model(x), y), Net(), x, (x.mean((1, 2, 3)) > 0).long()


@mistake("output_range")
def softplus_scale_for_signed_differences():
    def objective(model, x, y):
        return ((F.softplus(model(x)) - y) ** 2).mean()  # <- return ((model(x) - y) ** 2).mean()

    return objective, _net(5, 1), *_numbers()


@mistake("output_range")
def logits_into_binary_cross_entropy():
    def objective(model, x, y):
        return F.binary_cross_entropy(model(x), y)  # <- return F.binary_cross_entropy_with_logits(model(x), y)

    return objective, _net(5, 1), *_yes_or_no()


# ---------------------------------------------------------------------------------------------- units and modes
@mistake("dead_units", "vanishing", "clamped")
def relus_killed_by_a_shift_of_the_inputs():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.out = nn.Linear(5, 16), nn.Linear(16, 4)

        def forward(self, x):
            h = self.inp(x) - 30  # <- h = self.inp(x)
            return self.out(torch.relu(h))  # <-

    return lambda model, x, y: F.cross_entropy(model(x), y), Net(), *_classes()


@mistake("saturated", "large_initialisation")
def sigmoid_gates_with_huge_weights():
    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.value, self.gate, self.out = nn.Linear(5, 12), nn.Linear(5, 12), nn.Linear(12, 1)
            nn.init.normal_(self.gate.weight, std=40)  # <- nn.init.normal_(self.gate.weight, std=0.4)

        def forward(self, x):
            gate = torch.sigmoid(self.gate(x))  # <-
            return self.out(gate * self.value(x))

    return lambda model, x, y: F.mse_loss(model(x), y), Gated(), *_numbers()


@mistake("dropout", "wrong_mode", learns=False)
def monte_carlo_by_accident():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(5, 40), nn.Linear(40, 4)

        def forward(self, x):
            return self.b(nn.Dropout(0.4)(torch.tanh(self.a(x))))  # <- return self.b(torch.tanh(self.a(x)))

    def test_loss(model, x, y):
        model.eval()
        return F.cross_entropy(model(x), y)

    return test_loss, Net().eval(), *_classes()


@mistake("wrong_mode", steps=12)
def eval_instead_of_train():
    model = nn.Sequential(nn.Linear(5, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Dropout(0.2), nn.Linear(20, 4))
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train(model, opt, x, y):
        model.eval()  # <- model.train()
        return _step(model, opt, F.cross_entropy(model(x), y))  # <-

    return train, model, opt, *_classes()


@mistake("batch_norm_single", fails="more than 1 value per channel")
def batch_norm_in_online_learning():
    model = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 1))

    def objective(model, x, y):
        parts = zip(x.split(1), y.split(1), strict=True)  # <- parts = [(x, y)]
        losses = [F.mse_loss(model(a), b) for a, b in parts]  # <-
        return torch.stack(losses).mean()

    return objective, model, *_numbers(4)


# ---------------------------------------------------------------------------------------------- sizes
@mistake("vanishing")
def deep_tanh_with_tiny_weights():
    net = [nn.Linear(5, 12)]
    for _ in range(15):  # <- for _ in range(2):
        net += [nn.Tanh(), nn.Linear(12, 12, bias=False)]
        nn.init.uniform_(net[-1].weight, -0.02, 0.02)  # <- nn.init.xavier_normal_(net[-1].weight)
    model = nn.Sequential(*net, nn.Tanh(), nn.Linear(12, 4))

    def objective(model, x, y):
        return F.cross_entropy(model(x), y)  # <-

    return objective, model, *_classes()


@mistake("exploding", "large_initialisation", "not_finite", "saturated")
def recurrence_with_large_weights():
    class Linear(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.back, self.out = nn.Linear(2, 10), nn.Linear(10, 10), nn.Linear(10, 1)
            nn.init.normal_(self.back.weight, std=2.0)  # <- nn.init.orthogonal_(self.back.weight)

        def forward(self, x):
            h = torch.zeros(len(x), 10)
            for t in range(x.shape[1]):
                h = self.inp(x[:, t]) + self.back(h)  # <- h = torch.tanh(self.inp(x[:, t]) + self.back(h))
            return self.out(h)  # <-

    x = torch.randn(12, 25, 2)
    return lambda model, x, y: F.mse_loss(model(x), y), Linear(), x, x[:, -1, :1]  # <-


@mistake("learning_rate", "exploding", "not_finite", "does_not_overfit", "dead_units", steps=12, outside=True)
def rate_of_five():
    model = _net(5, 1)
    opt = torch.optim.SGD(model.parameters(), lr=5.0, momentum=0.9)  # <- 5.0 => 0.02

    def train(model, opt, x, y):
        return _step(model, opt, F.mse_loss(model(x), y))

    return train, model, opt, *_numbers()


@mistake("unnormalised_inputs", "saturated", "dead_units", "large_initialisation")
def timestamps_as_inputs():
    def objective(model, when, y):
        return F.mse_loss(model(when), y)  # <- return F.mse_loss(model((when - 1.6e9) / 1e8), y)

    when = 1.6e9 + 1e8 * torch.randn(24, 1)
    return objective, _net(1, 1), when, (when - 1.6e9) / 1e8  # <-


@mistake("symmetric_units", "constant_output", "ignores_inputs", "large_initialisation")
def ones_everywhere():
    model = nn.Sequential(nn.Linear(5, 10), nn.Sigmoid(), nn.Linear(10, 4))
    for layer in (model[0], model[2]):
        nn.init.ones_(layer.weight)  # <- nn.init.xavier_uniform_(layer.weight)

    def objective(model, x, y):
        return F.cross_entropy(model(x), y)  # <-

    return objective, model, *_classes()


# ---------------------------------------------------------------------------------------------- no way to learn
@mistake("not_finite")
def entropy_of_one_hot_probabilities():
    def objective(model, x, y):
        p = F.softmax(50 * model(x), dim=1)  # <- 50 * model(x) => model(x) / 20
        entropy = -(p * torch.log(p)).sum(1).mean()  # <- entropy = -(p * torch.log(p.clamp(min=1e-6))).sum(1).mean()
        return F.cross_entropy(model(x), y) - 0.01 * entropy

    return objective, nn.Linear(5, 4), 20 * torch.randn(24, 5), torch.randint(0, 4, (24,))


@mistake("not_finite")
def distances_of_equal_points():
    def objective(model, x):
        z = model(x)
        d = ((z[:, None] - z[None]) ** 2).sum(-1)
        d = torch.sqrt(d)  # <- d = torch.sqrt(d + 1e-9)
        return (d - 1).abs().mean()

    return objective, nn.Linear(5, 3), torch.randn(10, 5).repeat(2, 1)


@mistake("shuffled_labels", "mixed_examples", "does_not_overfit")
def targets_sorted_on_their_own():
    def objective(model, x, y):
        y = torch.sort(y, dim=0).values  # <- pass
        return F.mse_loss(model(x), y)  # <-

    return objective, _net(5, 1), *_numbers()


@mistake("summed_loss", "learning_rate", steps=12)
def squares_added_up():
    model = _net(5, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)

    def train(model, opt, x, y):
        loss = ((model(x) - y) ** 2).sum()  # <- loss = ((model(x) - y) ** 2).mean()
        return _step(model, opt, loss)

    return train, model, opt, *_numbers(400)


@mistake("does_not_overfit", "learning_rate", steps=12, outside=True)
def loss_climbs():
    model = _net(5, 4)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, maximize=True)  # <- , maximize=True =>

    def train(model, opt, x, y):
        return _step(model, opt, F.cross_entropy(model(x), y))

    return train, model, opt, *_classes()

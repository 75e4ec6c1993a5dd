"""Programs in PyTorch with a mistake: put aside, and measured before the rules' author knew even their kinds."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


def _moons(n=48):
    angle = math.pi * torch.rand(n)
    y = torch.arange(n) % 2
    x = torch.stack([torch.cos(angle) + y, torch.sin(angle) * (1 - 2 * y)], dim=1)
    return x + 0.05 * torch.randn(n, 2), y


@mistake("cut_gradient", "unreached_parameter")
def grad_disabled_for_the_first_block():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.block1 = nn.Sequential(nn.Linear(2, 16), nn.Tanh())
            self.block2 = nn.Linear(16, 2)

        def forward(self, x):
            with torch.set_grad_enabled(False):  # <- False => True
                h = self.block1(x)  # <-
            return self.block2(h)

    return lambda model, x, y: F.cross_entropy(model(x), y), Net(), *_moons()


@mistake("cut_gradient")
def perplexity_by_the_math_module():
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))

    def perplexity(model, x, y):
        ce = F.cross_entropy(model(x), y)
        ppl = math.exp(ce)  # <- ppl = torch.exp(ce)
        return torch.tensor(ppl, requires_grad=True)  # <- return ppl

    return perplexity, model, *_moons()


@mistake("cut_gradient", "unreached_parameter")
def hard_gate():
    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.value, self.gate, self.out = nn.Linear(2, 16), nn.Linear(2, 16), nn.Linear(16, 2)

        def forward(self, x):
            open_ = (self.gate(x) > 0).float()  # <- open_ = torch.sigmoid(self.gate(x))
            return self.out(open_ * self.value(x))

    return lambda model, x, y: F.cross_entropy(model(x), y), Gated(), *_moons()


@mistake("unreached_parameter")
def one_branch_joined_twice():
    class TwoStreams(nn.Module):
        def __init__(self):
            super().__init__()
            self.left, self.right = nn.Linear(1, 8), nn.Linear(1, 8)  # <-
            self.out = nn.Linear(16, 2)

        def forward(self, x):
            a = torch.relu(self.left(x[:, :1]))
            b = torch.relu(self.left(x[:, 1:]))  # <- left => right
            return self.out(torch.cat([a, b], dim=1))

    return lambda model, x, y: F.cross_entropy(model(x), y), TwoStreams(), *_moons()


@mistake("unregistered_parameter")
def cells_in_a_tuple():
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            cells = nn.GRUCell(2, 8), nn.GRUCell(8, 8)
            self.cells = tuple(cells)  # <- self.cells = nn.ModuleList(cells)
            self.out = nn.Linear(8, 2)

        def forward(self, x):
            first, second = self.cells
            h = first(x)  # <-
            h = second(h)  # <-
            return self.out(h)

    return lambda model, x, y: F.cross_entropy(model(x), y), Stack(), *_moons()


@mistake("not_in_optimizer", steps=20, outside=True)
def only_the_trainable_part_of_the_encoder():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.head = nn.Sequential(nn.Linear(2, 16), nn.ReLU()), nn.Linear(16, 2)

        def forward(self, x):
            return self.head(self.encoder(x))

    model = Model()
    trainable = [p for p in model.encoder.parameters() if p.requires_grad]  # <- model.encoder => model
    optimizer = torch.optim.Adam(trainable, lr=1e-2)  # <-

    def train_one(model, optimizer, x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return train_one, model, optimizer, *_moons()


@mistake("graph_reused", steps=20, fails="second time")
def fake_pictures_used_by_both_losses():
    gen, disc = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    og, od = torch.optim.Adam(gen.parameters(), lr=1e-3), torch.optim.Adam(disc.parameters(), lr=1e-3)

    def gan(gen, disc, og, od, real, z):
        fake = gen(z)
        score = disc(fake)  # <- score = disc(fake.detach())
        d_loss = F.softplus(score).mean() + F.softplus(-disc(real)).mean()
        od.zero_grad()
        d_loss.backward()  # <-
        od.step()
        g_loss = -score.mean()  # <- g_loss = -disc(fake).mean()
        og.zero_grad()
        g_loss.backward()  # <-
        og.step()
        return d_loss

    return gan, gen, disc, og, od, torch.randn(16, 2) + 2, torch.randn(16, 2)


@mistake("gradients_accumulate", steps=20)
def zero_grad_once_for_a_whole_epoch():
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def epoch(model, optimizer, x, y):
        optimizer.zero_grad()
        total = 0.0
        for i in range(0, 48, 8):
            loss = F.cross_entropy(model(x[i : i + 8]), y[i : i + 8])
            loss.backward()  # <- optimizer.zero_grad(); loss.backward()
            optimizer.step()  # <-
            total += loss.item()
        return total

    return epoch, model, optimizer, *_moons()


@mistake("gradients_cleared", "learning_rate", "does_not_overfit", steps=20)
def step_before_backward():
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_one(model, optimizer, x, y):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()  # <-
        optimizer.step()  # <- loss.backward()
        loss.backward()  # <- optimizer.step()
        return loss

    return train_one, model, optimizer, *_moons()


@mistake("broadcast_loss")
def only_the_output_is_squeezed():
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))

    def loss_fn(model, x, y):
        output = model(x).squeeze()
        return nn.L1Loss()(output, y)  # <- return nn.L1Loss()(output, y.squeeze())

    x, _ = _moons()
    return loss_fn, model, x, x[:, :1] * 2


@mistake("wrong_axis", "mixed_examples")
def cosine_similarity_over_the_batch():
    embed = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 6))

    def loss_fn(embed, a, b):
        similarity = F.cosine_similarity(embed(a), embed(b), dim=0)  # <- dim=0 => dim=1
        return (1 - similarity).mean()

    x, _ = _moons()
    return loss_fn, embed, x, x.flip(1)


@mistake("softmax_over_batch")
def log_softmax_layer_of_the_first_dimension():
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2), nn.LogSoftmax(dim=0))  # <- dim=0 => dim=1
    nll = nn.NLLLoss()
    return lambda model, x, y: nll(model(x), y), model, *_moons()  # <-


@mistake("one_hot_target", "wrong_axis", fails="to match target batch_size")
def one_hot_rows_reduced_over_the_batch():
    model = nn.Linear(2, 2)

    def loss_fn(model, x, rows):
        labels = rows.argmax(dim=0)  # <- dim=0 => dim=1
        return F.cross_entropy(model(x), labels)  # <-

    x, y = _moons()
    return loss_fn, model, x, F.one_hot(y)


@mistake("mixed_examples")
def features_reshaped_instead_of_transposed():
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))

    def loss_fn(model, columns, y):
        x = columns.reshape(-1, 2)  # <- x = columns.T
        return F.cross_entropy(model(x), y)

    x, y = _moons()
    return loss_fn, model, x.T.contiguous(), y


@mistake("mixed_examples")
def hidden_units_folded_across_examples():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(2, 16), nn.Linear(16, 2)

        def forward(self, x):
            h = torch.relu(self.a(x))
            h = h.view(16, -1).t()  # <- pass
            return self.b(h)

    return lambda model, x, y: F.cross_entropy(model(x), y), Net(), *_moons()


@mistake("causal_leak", causal=True)
def encoder_layers_without_a_mask():
    class LM(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.place = nn.Embedding(11, 16), nn.Parameter(0.1 * torch.randn(8, 16))
            layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
            self.encoder, self.head = nn.TransformerEncoder(layer, 1), nn.Linear(16, 11)
            self.mask = nn.Transformer.generate_square_subsequent_mask(8)

        def forward(self, tokens):
            h = self.embed(tokens) + self.place
            return self.head(self.encoder(h))  # <- encoder(h) => encoder(h, mask=self.mask)

    def loss_fn(model, tokens):
        return F.cross_entropy(model(tokens[:, :-1]).mT, tokens[:, 1:])

    return loss_fn, LM(), (torch.arange(9) + torch.arange(6).unsqueeze(1)) % 11


@mistake("double_softmax")
def segmentation_map_of_probabilities():
    features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU())
    net = nn.Sequential(features, nn.Conv2d(8, 3, 1), nn.Softmax(dim=1))  # <- , nn.Softmax(dim=1) =>
    criterion = nn.CrossEntropyLoss()

    def loss_fn(net, image, mask):
        return criterion(net(image), mask)  # <-

    image = torch.randn(4, 1, 6, 6)
    return loss_fn, net, image, (image.squeeze(1) > 0).long() + (image.squeeze(1) > 1).long()


@mistake("double_sigmoid")
def sigmoid_with_a_weighted_loss():
    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.fc = nn.LSTM(2, 8, batch_first=True), nn.Linear(8, 1)

        def forward(self, x):
            h, _ = self.lstm(x)
            return torch.sigmoid(self.fc(h[:, -1]))  # <- return self.fc(h[:, -1])

    criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([3.0]))
    x = torch.randn(20, 5, 2)
    return lambda net, x, y: criterion(net(x), y), Detector(), x, (x[:, -1, :1] > 0.8).float()  # <-


@mistake("rectified_logits", "clamped")
def logits_clamped_at_zero():
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def loss_fn(model, x, y):
        logits = model(x).clamp(min=0)  # <- logits = model(x)
        return F.cross_entropy(logits, y)  # <-

    return loss_fn, model, *_moons()


@mistake("no_nonlinearity")
def only_dropout_between_the_layers():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.drop, self.fc2 = nn.Linear(2, 32), nn.Dropout(0.2), nn.Linear(32, 2)

        def forward(self, x):
            x = self.drop(self.fc1(x))  # <- x = self.drop(torch.relu(self.fc1(x)))
            return self.fc2(x)  # <-

    return lambda model, x, y: F.cross_entropy(model(x), y), Net(), *_moons()


@mistake("output_range")
def sigmoid_for_labels_of_plus_and_minus_one():
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())  # <- Sigmoid => Tanh
    x, y = _moons()
    return lambda m, x, s: ((m(x) - s) ** 2).mean(), model, x, 2.0 * y.unsqueeze(1) - 1  # <-


@mistake("dead_units")
def threshold_far_above_every_value():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(2, 16), nn.Linear(16, 2)

        def forward(self, x):
            h = F.relu(self.a(x) - 100)  # <- - 100 => - 0
            return self.b(h)

    return lambda model, x, y: F.cross_entropy(model(x), y), Net(), *_moons()


@mistake("saturated", "large_initialisation", "unnormalised_inputs", "vanishing", outside=True)
def attention_of_huge_scores():
    class Pool(nn.Module):
        def __init__(self):
            super().__init__()
            self.query = nn.Parameter(300 * torch.randn(8))  # <- 300 => 0.3
            self.key, self.value, self.out = nn.Linear(4, 8), nn.Linear(4, 8), nn.Linear(8, 2)

        def forward(self, x):
            scores = torch.tanh(self.key(x)) @ self.query  # <-
            weights = scores.softmax(dim=1)  # <-
            return self.out((weights.unsqueeze(-1) * torch.tanh(self.value(x))).sum(1))

    x = torch.randn(20, 6, 4)
    return lambda net, x, y: F.cross_entropy(net(x), y), Pool(), x, (x.mean((1, 2)) > 0).long()


@mistake("exploding", "not_finite", "large_initialisation")
def activations_multiplied_by_ten_in_every_layer():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.out = nn.Linear(2, 16), nn.Linear(16, 1)
            self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(15))

        def forward(self, x):
            x = self.inp(x)
            for layer in self.layers:
                x = F.relu(layer(x)) * 10  # <- x = x + 0.1 * F.relu(layer(x))
            return self.out(x)  # <-

    x, _ = _moons()
    return lambda net, x, y: F.mse_loss(net(x), y), Net(), x, x[:, :1].abs()  # <-


@mistake("learning_rate", "does_not_overfit", steps=20, outside=True)
def decimal_point_of_the_rate_lost():
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-10)  # <- 1e-10 => 1e-2

    def train_one(model, optimizer, x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return train_one, model, optimizer, *_moons()


@mistake("unnormalised_inputs", "exploding", outside=True)
def timestamps_as_features():
    model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
    stamp = 1.6e9 + 1e7 * torch.rand(40, 1)
    table = torch.cat([torch.randn(40, 2), stamp], dim=1)  # <-

    def loss_fn(model, table, y):
        return F.mse_loss(model(table), y)  # <- table) => (table - table.mean(0)) / table.std(0))

    return loss_fn, model, table, table[:, :1]


@mistake("symmetric_units", "constant_output", "dead_units", "ignores_inputs")
def filters_all_zero():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.fc = nn.Conv2d(1, 6, 3), nn.Linear(6, 2)
            self.conv.weight.data.zero_()  # <- pass
            self.conv.bias.data.zero_()
            self.fc.weight.data.zero_()  # <- pass

        def forward(self, x):
            h = torch.tanh(self.conv(x))  # <-
            return self.fc(h.amax((2, 3)))  # <-

    x = torch.randn(20, 1, 6, 6)
    return lambda net, x, y: F.cross_entropy(net(x), y), Net(), x, (x.amax((1, 2, 3)) > 2).long()


@mistake("not_finite")
def column_without_any_variance():
    model = nn.Linear(3, 1)

    def loss_fn(model, x, y):
        x = (x - x.mean(0)) / x.std(0)  # <- x.std(0) => (x.std(0) + 1e-6)
        return F.mse_loss(model(x), y)

    x = torch.cat([torch.randn(30, 2), torch.ones(30, 1)], dim=1)
    return loss_fn, model, x, x[:, :1]


@mistake("not_finite")
def logarithm_of_word_counts():
    model = nn.Linear(5, 2)

    def loss_fn(model, counts, y):
        features = torch.log(counts)  # <- features = torch.log1p(counts)
        return F.cross_entropy(model(features), y)

    counts = torch.poisson(torch.full((24, 5), 2.0))
    return loss_fn, model, counts, (counts[:, 0] > 1).long()


@mistake("constant_output", "wrong_axis", "mixed_examples", "ignores_inputs", "broadcast_loss")
def prediction_averaged_over_everything():
    class Regressor(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(2, 16), nn.Linear(16, 1)

        def forward(self, x):
            return self.b(torch.relu(self.a(x))).mean()  # <- .mean() => .squeeze(1)

    x, _ = _moons()
    return lambda net, x, y: ((net(x) - y) ** 2).mean(), Regressor(), x, 2 * x[:, 0]  # <-


@mistake("dropout", "ignores_inputs", "constant_output")
def functional_dropout_of_everything():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(2, 16), nn.Linear(16, 2)

        def forward(self, x):
            h = torch.relu(self.a(x))
            h = F.dropout(h, p=1.0, training=self.training)  # <- p=1.0 => p=0.1
            return self.b(h)

    return lambda model, x, y: F.cross_entropy(model(x), y), Net(), *_moons()


@mistake("mixed_examples", "shuffled_labels", "wrong_axis")
def inputs_sorted_column_by_column():
    model = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 2))

    def loss_fn(model, x, y):
        x = x.sort(dim=0).values  # <- pass
        return F.cross_entropy(model(x), y)

    return loss_fn, model, *_moons()

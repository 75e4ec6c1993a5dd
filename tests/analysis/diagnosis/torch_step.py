"""Training steps in PyTorch that do something else than train."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


def _blobs(n=32, features=4, classes=3):
    t = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.5 + 2 * torch.randn(classes, features)[t], t


@mistake("not_in_optimizer", steps=20, outside=True)
def optimizer_holds_only_the_decoder():
    encoder = nn.Sequential(nn.Linear(10, 6), nn.Tanh())
    decoder = nn.Linear(6, 10)
    optimizer = torch.optim.Adam(decoder.parameters(), lr=1e-2)  # <- decoder => nn.ModuleList([encoder, decoder])

    def train_step(encoder, decoder, optimizer, x):
        optimizer.zero_grad()
        loss = F.mse_loss(decoder(encoder(x)), x)
        loss.backward()
        optimizer.step()
        return loss

    return train_step, encoder, decoder, optimizer, torch.rand(20, 10)


@mistake("not_in_optimizer", steps=20, outside=True)
def head_replaced_after_the_optimizer_was_made():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model[2] = nn.Linear(16, 3)  # <- ) => ); optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train_step(model, optimizer, x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return train_step, model, optimizer, *_blobs()


@mistake("replaced_parameter", "not_in_optimizer", steps=20)
def clipped_weight_is_a_new_parameter():
    critic = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    optimizer = torch.optim.RMSprop(critic.parameters(), lr=5e-3)

    def critic_step(critic, optimizer, real, fake):
        loss = critic(fake).mean() - critic(real).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        critic[0].weight = nn.Parameter(critic[0].weight.clamp(-0.5, 0.5))  # <- critic[0].weight.data.clamp_(-0.5, 0.5)
        critic[2].weight = nn.Parameter(critic[2].weight.clamp(-0.5, 0.5))  # <- critic[2].weight.data.clamp_(-0.5, 0.5)
        return loss

    return critic_step, critic, optimizer, torch.randn(16, 4) + 1, torch.randn(16, 4) - 1


@mistake("graph_reused", steps=20, fails="backward through the graph a second time")
def features_computed_once_for_all_steps():
    backbone = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
    head = nn.Linear(16, 3)
    optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.1)
    x, y = _blobs()
    features = backbone(x)  # <-

    def train_step(head, optimizer, y):
        optimizer.zero_grad()
        scores = head(features)  # <- scores = head(backbone(x))
        loss = F.cross_entropy(scores, y)
        loss.backward()  # <-
        optimizer.step()
        return loss

    return train_step, head, optimizer, y


@mistake("graph_reused", steps=20, fails="backward through the graph a second time")
def hidden_state_kept_from_the_last_step():
    class CharRNN(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = nn.GRU(5, 16, batch_first=True)
            self.out = nn.Linear(16, 5)
            self.hidden = None

        def forward(self, x):
            h, self.hidden = self.rnn(x, self.hidden)  # <- h, _ = self.rnn(x)
            return self.out(h)

    model = CharRNN()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_step(model, optimizer, x, y):
        optimizer.zero_grad()
        scores = model(x)
        loss = F.cross_entropy(scores.transpose(1, 2), y)
        loss.backward()  # <-
        optimizer.step()
        return loss

    y = torch.arange(24).reshape(2, 12) % 5
    return train_step, model, optimizer, F.one_hot((y + 4) % 5, 5).float(), y


@mistake("gradients_accumulate", steps=20)
def zero_grad_is_forgotten():
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    criterion = nn.CrossEntropyLoss()

    def train_step(net, optimizer, x, y):
        outputs = net(x)
        loss = criterion(outputs, y)
        loss.backward()  # <- optimizer.zero_grad(); loss.backward()
        optimizer.step()  # <-
        return loss

    return train_step, net, optimizer, *_blobs()


@mistake("gradients_cleared", steps=20)
def zero_grad_between_backward_and_step():
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)

    def train_step(net, optimizer, x, y):
        loss = F.cross_entropy(net(x), y)
        loss.backward()  # <- optimizer.zero_grad(); loss.backward()
        optimizer.zero_grad()  # <- pass
        optimizer.step()
        return loss

    return train_step, net, optimizer, *_blobs()


@mistake("wrong_mode", steps=20)
def model_stays_in_eval_after_validation():
    model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_epoch(model, optimizer, x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        model.eval()  # <-
        with torch.no_grad():
            model(x).argmax(1).eq(y).float().mean()
        return loss  # <- model.train(); return loss

    return train_epoch, model, optimizer, *_blobs()


@mistake("wrong_mode", "dropout", learns=False)
def evaluation_in_training_mode():
    model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 3))
    model.train()

    @torch.no_grad()
    def evaluate(model, x, y):
        scores = model(x)  # <- model.eval(); scores = model(x)
        return F.cross_entropy(scores, y)

    return evaluate, model, *_blobs()


@mistake("learning_rate", "exploding", "not_finite", "dead_units", "does_not_overfit", steps=20, outside=True)
def learning_rate_of_ten():
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    opt = torch.optim.SGD(net.parameters(), lr=10)  # <- opt = torch.optim.SGD(net.parameters(), lr=0.05)

    def train_step(net, opt, x, y):
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        return loss

    x = torch.randn(32, 4)
    return train_step, net, opt, x, x[:, :1] * 2 - x[:, 1:2]


@mistake("learning_rate", "does_not_overfit", steps=20, outside=True)
def learning_rate_of_a_billionth():
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
    opt = torch.optim.SGD(net.parameters(), lr=1e-9)  # <- opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def train_step(net, opt, x, y):
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        return loss

    return train_step, net, opt, *_blobs()


@mistake("summed_loss", "learning_rate", steps=20)
def loss_is_summed_over_the_batch():
    net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    criterion = nn.MSELoss(reduction="sum")  # <- criterion = nn.MSELoss()

    def train_step(net, opt, x, y):
        opt.zero_grad()
        loss = criterion(net(x), y)  # <-
        loss.backward()
        opt.step()
        return loss

    x = torch.randn(512, 8)
    return train_step, net, opt, x, x[:, :1] - x[:, 1:2]


@mistake("shuffled_labels", "does_not_overfit", steps=20)
def inputs_shuffled_without_their_labels():
    net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)

    def train_epoch(net, opt, x, y):
        order = torch.randperm(len(x))
        x = x[order]  # <- x, y = x[order], y[order]
        total = 0.0
        for i in range(0, len(x), 8):
            opt.zero_grad()
            loss = F.cross_entropy(net(x[i : i + 8]), y[i : i + 8])  # <-
            loss.backward()
            opt.step()
            total += loss.item()
        return total / 4

    return train_epoch, net, opt, *_blobs()


@mistake("weight_decay", steps=20, outside=True)
def weight_decay_of_thirty():
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
    opt = torch.optim.SGD(net.parameters(), lr=0.05, weight_decay=30.0)  # <- 30.0 => 1e-4

    def train_step(net, opt, x, y):
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        return loss

    return train_step, net, opt, *_blobs()

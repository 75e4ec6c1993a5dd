"""Programs in PyTorch whose gradients do not reach what should learn: variants that were put aside."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


def _clusters(n=40, features=6, classes=4):
    label = torch.randint(0, classes, (n,))
    return torch.randn(n, features) + 3 * torch.eye(classes, features)[label], label


@mistake("cut_gradient", "unreached_parameter")
def context_vector_cloned_and_detached():
    class Seq2Seq(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.GRU(3, 12, batch_first=True)
            self.decoder = nn.GRU(3, 12, batch_first=True)
            self.project = nn.Linear(12, 3)

        def forward(self, src, tgt):
            _, context = self.encoder(src)
            context = context.clone().detach()  # <- pass
            states, _ = self.decoder(tgt, context)
            return self.project(states)

    def seq_loss(net, src, tgt):
        return F.mse_loss(net(src, tgt[:, :-1]), tgt[:, 1:])

    src = torch.randn(10, 5, 3)
    return seq_loss, Seq2Seq(), src, src.flip(1)


@mistake("cut_gradient", "unreached_parameter")
def encode_decorated_with_no_grad():
    class Siamese(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk = nn.Sequential(nn.Linear(6, 16), nn.ELU())
            self.scale = nn.Linear(16, 1)

        @torch.no_grad()  # <- @torch.enable_grad()
        def encode(self, x):
            return self.trunk(x)  # <-

        def forward(self, a, b):
            difference = (self.encode(a) - self.encode(b)).abs()  # <-
            return self.scale(difference).squeeze(1)

    def verification_loss(net, a, b, same):
        return F.binary_cross_entropy_with_logits(net(a, b), same)

    a, b = torch.randn(20, 6), torch.randn(20, 6)
    b[:10] = a[:10]
    return verification_loss, Siamese(), a, b, (torch.arange(20) < 10).float()


@mistake("cut_gradient")
def hinge_of_python_lists():
    scorer = nn.Linear(6, 1)

    def hinge(scorer, x, sign):
        margins = scorer(x).squeeze(1).tolist()  # <- margins = scorer(x).squeeze(1)
        signs = sign.tolist()
        losses = [max(0.0, 1 - m * signs[i]) for i, m in enumerate(margins)]  # <- losses = (1 - margins * sign).relu()
        return torch.tensor(losses, requires_grad=True).mean()  # <- return losses.mean()

    x = torch.randn(30, 6)
    return hinge, scorer, x, torch.sign(x[:, 2])


@mistake("cut_gradient")
def requires_grad_set_on_the_loss_to_silence_an_error():
    classifier = nn.Sequential(nn.Linear(6, 20), nn.LeakyReLU(), nn.Linear(20, 4))

    def error_rate(classifier, x, label):
        scores = classifier(x)
        guess = torch.topk(scores, 1, dim=1).indices.squeeze(1)  # <- guess = scores.softmax(1)
        loss = (guess != label).float().mean()  # <- loss = 1 - guess[range(40), label].mean()
        loss.requires_grad_(True)  # <- pass
        return loss

    return error_rate, classifier, *_clusters()


@mistake("cut_gradient", "unreached_parameter")
def sign_activation():
    class Binary(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(6, 24), nn.Linear(24, 4)

        def forward(self, x):
            bits = torch.sign(self.first(x))  # <- torch.sign => torch.tanh
            return self.second(bits)

    return lambda net, x, label: F.cross_entropy(net(x), label), Binary(), *_clusters()


@mistake("cut_gradient", "unreached_parameter")
def layer_computed_by_numpy():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Linear(6, 10), nn.Linear(10, 4)

        def forward(self, x):
            z = self.embed(x)
            z = torch.from_numpy(np.log1p(np.exp(z.detach().numpy())))  # <- z = F.softplus(z)
            return self.head(z)

    return lambda net, x, label: F.cross_entropy(net(x), label), Net(), *_clusters()


@mistake("cut_gradient")
def parts_of_the_loss_in_a_new_tensor():
    class TwoHeads(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk, self.cls, self.box = nn.Linear(6, 16), nn.Linear(16, 4), nn.Linear(16, 2)

        def forward(self, x):
            h = torch.tanh(self.trunk(x))
            return self.cls(h), self.box(h)

    def detection_loss(net, x, label, box):
        scores, boxes = net(x)
        parts = [F.cross_entropy(scores, label), F.smooth_l1_loss(boxes, box)]
        return torch.tensor(parts, requires_grad=True).sum()  # <- return torch.stack(parts).sum()

    x, label = _clusters()
    return detection_loss, TwoHeads(), x, label, x[:, :2]


@mistake("cut_gradient", fails="does not require grad")
def thresholded_with_where():
    gate = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())

    def cost(gate, x, wanted):
        p = gate(x).squeeze(1)
        chosen = torch.where(p > 0.5, 1.0, 0.0)  # <- chosen = p
        return ((chosen - wanted) ** 2).mean()

    x = torch.randn(30, 6)
    return cost, gate, x, (x[:, 1] > 0).float()


@mistake("cut_gradient", "unreached_parameter")
def window_width_rounded_to_an_index():
    class Smoother(nn.Module):
        def __init__(self):
            super().__init__()
            self.width = nn.Parameter(torch.tensor(4.4))
            self.gain = nn.Parameter(torch.tensor(0.5))

        def forward(self, signal):
            k = round(self.width.item())  # <- k = self.width
            window = signal[:, :k] / k  # <- window = signal * torch.sigmoid(k - torch.arange(10)) / k
            return self.gain * window.sum(dim=1)

    signal = torch.randn(12, 10)
    return lambda net, s, y: F.mse_loss(net(s), y), Smoother(), signal, signal[:, :3].mean(dim=1)


@mistake("unreached_parameter")
def first_branch_is_overwritten():
    class Inception(nn.Module):
        def __init__(self):
            super().__init__()
            self.small, self.large = nn.Conv2d(1, 4, 1), nn.Conv2d(1, 4, 3, padding=1)  # <-
            self.head = nn.Linear(4, 3)  # <- self.head = nn.Linear(8, 3)

        def forward(self, x):
            y = F.relu(self.small(x))  # <-
            y = F.relu(self.large(x))  # <- y = torch.cat([y, F.relu(self.large(x))], dim=1)
            return self.head(y.mean(dim=(2, 3)))

    label = torch.randint(0, 3, (15,))
    pictures = torch.randn(15, 1, 6, 6) + label[:, None, None, None]
    return lambda net, x, y: F.cross_entropy(net(x), y), Inception(), pictures, label


@mistake("frozen_parameter", fails="does not require grad", outside=True)
def every_layer_frozen_by_its_name():
    net = nn.Sequential()
    net.add_module("layer1", nn.Linear(6, 12))
    net.add_module("act", nn.SiLU())
    net.add_module("layer2", nn.Linear(12, 4))
    for name, p in net.named_parameters():
        if name.startswith("layer"):  # <- if name.startswith("layer1"):
            p.requires_grad_(False)  # <-

    return lambda net, x, label: F.cross_entropy(net(x), label), net, *_clusters()


@mistake("unregistered_parameter")
def heads_in_a_dict():
    class MultiTask(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk = nn.Linear(6, 16)
            self.heads = {}  # <- self.heads = nn.ModuleDict()
            self.heads["kind"] = nn.Linear(16, 4)  # <-
            self.heads["size"] = nn.Linear(16, 1)  # <-

        def forward(self, x):
            h = torch.relu(self.trunk(x))
            return self.heads["kind"](h), self.heads["size"](h)  # <-

    def loss_fn(net, x, label, size):
        kind, predicted = net(x)
        return F.cross_entropy(kind, label) + F.mse_loss(predicted, size)

    x, label = _clusters()
    return loss_fn, MultiTask(), x, label, x[:, :1]


@mistake("unregistered_parameter")
def layer_hidden_in_a_plain_object():
    class Adapter:  # <- class Adapter(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(6, 6)  # <-

        def __call__(self, x):
            return x + torch.tanh(self.linear(x))  # <-

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.adapter, self.out = Adapter(), nn.Linear(6, 4)  # <-

        def forward(self, x):
            return self.out(self.adapter(x))  # <-

    return lambda net, x, label: F.cross_entropy(net(x), label), Net(), *_clusters()


@mistake("not_in_optimizer", steps=20, outside=True)
def only_some_parameters_sliced_into_the_optimizer():
    net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4))
    adam = torch.optim.Adam(list(net.parameters())[:4], lr=5e-3)  # <- list(net.parameters())[:4] => net.parameters()

    def fit(net, adam, x, label):
        adam.zero_grad()
        loss = F.cross_entropy(net(x), label)
        loss.backward()
        adam.step()
        return loss.item()

    return fit, net, adam, *_clusters()


@mistake("replaced_parameter", "not_in_optimizer", steps=20)
def weights_normalised_into_a_new_parameter():
    class Cosine(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(6, 4, bias=False)

        def forward(self, x):
            return 8 * F.linear(F.normalize(x, dim=1), self.fc.weight)

    net = Cosine()
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)

    def fit(net, sgd, x, label):
        loss = F.cross_entropy(net(x), label)
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        unit = F.normalize(net.fc.weight.data, dim=1)
        net.fc.weight = nn.Parameter(unit)  # <- net.fc.weight.data = unit
        return loss

    return fit, net, sgd, *_clusters()


@mistake("graph_reused", steps=20, fails="second time")
def penalty_computed_once_before_the_loop():
    net = nn.Sequential(nn.Linear(6, 16), nn.Sigmoid(), nn.Linear(16, 4))
    sgd = torch.optim.SGD(net.parameters(), lr=0.3)
    penalty = sum(p.pow(2).sum() for p in net.parameters())  # <-

    def fit(net, sgd, x, label):
        sgd.zero_grad()
        loss = F.cross_entropy(net(x), label)
        loss = loss + 1e-3 * penalty  # <- penalty => sum(p.pow(2).sum() for p in net.parameters())
        loss.backward()  # <-
        sgd.step()
        return loss

    return fit, net, sgd, *_clusters()


@mistake("graph_reused", steps=20, fails="second time")
def lstm_state_carried_without_detach():
    lstm, out = nn.LSTM(2, 10, batch_first=True), nn.Linear(10, 1)
    both = nn.ModuleList([lstm, out])
    adam = torch.optim.Adam(both.parameters(), lr=1e-2)
    state = [None]

    def fit(both, adam, window, target):
        h, state[0] = lstm(window, state[0])  # <- h, _ = lstm(window)
        loss = F.mse_loss(out(h), target)
        adam.zero_grad()
        loss.backward()  # <-
        adam.step()
        return loss

    window = torch.randn(4, 6, 2)
    return fit, both, adam, window, window.mean(2, keepdim=True)


@mistake("gradients_accumulate", steps=20)
def only_the_generator_is_cleared():
    generator = nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 2))
    critic = nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 1))
    opt_g, opt_c = torch.optim.SGD(generator.parameters(), lr=1e-2), torch.optim.SGD(critic.parameters(), lr=1e-2)

    def gan_step(generator, critic, opt_g, opt_c, real, z):
        fake = generator(z)
        c_loss = F.softplus(-critic(real)).mean() + F.softplus(critic(fake.detach())).mean()
        c_loss.backward()  # <- opt_c.zero_grad(); c_loss.backward()
        opt_c.step()  # <-
        opt_g.zero_grad()  # <-
        F.softplus(-critic(fake)).mean().backward()  # <-
        opt_g.step()
        return c_loss

    return gan_step, generator, critic, opt_g, opt_c, torch.randn(16, 2) + 2, torch.randn(16, 2)


@mistake("gradients_cleared", steps=20)
def model_zero_grad_while_logging():
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
    sgd = torch.optim.SGD(net.parameters(), lr=0.2)

    def fit(net, sgd, x, label):
        loss = F.cross_entropy(net(x), label)
        loss.backward()
        norms = [p.grad.norm().item() for p in net.parameters()]
        assert norms
        net.zero_grad()  # <- pass
        sgd.step()  # <- sgd.step(); net.zero_grad()
        return loss

    return fit, net, sgd, *_clusters()


@mistake("wrong_mode", steps=20)
def pretrained_model_left_in_eval():
    body = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout2d(0.2))
    net = nn.Sequential(body, nn.Flatten(), nn.Linear(64, 3))
    net.eval()  # <-
    adam = torch.optim.Adam(net.parameters(), lr=5e-3)

    def fit(net, adam, x, label):  # <-
        adam.zero_grad()
        loss = F.cross_entropy(net(x), label)  # <- net.train(); loss = F.cross_entropy(net(x), label)
        loss.backward()
        adam.step()
        return loss

    label = torch.randint(0, 3, (12,))
    return fit, net, adam, torch.randn(12, 1, 6, 6) + label[:, None, None, None], label


@mistake("batch_norm_single", steps=20, fails="Expected more than 1 value per channel")
def last_batch_holds_one_example():
    net = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 4))
    adam = torch.optim.Adam(net.parameters(), lr=5e-3)

    def epoch(net, adam, x, label):
        total = 0.0
        for i in range(0, len(x), 8):  # <- for i in range(0, len(x) - 1, 8):
            adam.zero_grad()
            loss = F.cross_entropy(net(x[i : i + 8]), label[i : i + 8])  # <-
            loss.backward()
            adam.step()
            total += loss.item()
        return total

    return epoch, net, adam, *_clusters(41)


@mistake("learning_rate", "exploding", "not_finite", "saturated", "does_not_overfit", steps=20, outside=True)
def adam_with_a_rate_of_five():
    net = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
    adam = torch.optim.Adam(net.parameters(), lr=5.0)  # <- adam = torch.optim.Adam(net.parameters(), lr=5e-3)

    def fit(net, adam, x, y):
        adam.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        adam.step()
        return loss

    x = torch.randn(40, 6)
    return fit, net, adam, x, torch.sin(x[:, :1])


@mistake("learning_rate", "does_not_overfit", "vanishing", steps=20, outside=True)
def gradients_clipped_to_almost_nothing():
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)

    def fit(net, sgd, x, label):
        sgd.zero_grad()
        loss = F.cross_entropy(net(x), label)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1e-7)  # <- nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        sgd.step()  # <-
        return loss

    return fit, net, sgd, *_clusters()


@mistake("summed_loss", "learning_rate", "exploding", "not_finite", steps=20)
def squared_errors_summed_by_hand():
    net = nn.Linear(10, 1)
    sgd = torch.optim.SGD(net.parameters(), lr=0.01)

    def fit(net, sgd, x, y):
        sgd.zero_grad()
        loss = ((net(x) - y) ** 2).sum()  # <- loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        sgd.step()
        return loss

    x = torch.randn(400, 10)
    return fit, net, sgd, x, x.sum(1, keepdim=True)


@mistake("shuffled_labels", "does_not_overfit", steps=20)
def labels_permuted_in_every_epoch():
    net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 4))
    adam = torch.optim.Adam(net.parameters(), lr=5e-3)

    def epoch(net, adam, x, label):
        label = label[torch.randperm(len(label))]  # <- pass
        adam.zero_grad()
        loss = F.cross_entropy(net(x), label)  # <-
        loss.backward()
        adam.step()
        return loss

    return epoch, net, adam, *_clusters()

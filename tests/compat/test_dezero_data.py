"""The statements about DeZero's data, pictures and checks, under DeZero's names."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from autolab.compat import dezero
from autolab.compat.dezero import (
    DataLoader,
    Model,
    SeqDataLoader,
    Variable,
    datasets,
    models,
    transforms,
    utils,
)
from autolab.compat.dezero import functions as F
from autolab.compat.dezero import layers as L
from autolab.data import DownloadError


class Net(Model):
    def __init__(self):
        super().__init__()
        self.l1 = L.Linear(4)
        self.l2 = L.Linear(1)

    def forward(self, x):
        return self.l2(F.sigmoid(self.l1(x)))


# ---------------------------------------------------------------------- data
class Squares(dezero.Dataset):
    def prepare(self):
        self.data = np.arange(5.0)
        self.label = np.arange(5) ** 2 if self.train else None


@pytest.mark.source("DZ-42")
def test_a_dataset_has_transforms_and_perhaps_labels():
    assert Squares(transform=lambda x: -x, target_transform=lambda t: t + 1)[2] == (-2.0, 5)
    assert Squares(train=False)[2] == (2.0, None) and len(Squares()) == 5
    assert [t for _, t in Squares()] == [0, 1, 4, 9, 16]


@pytest.mark.source("DZ-43")
def test_transforms():
    image = np.arange(12, dtype=np.uint8).reshape(3, 2, 2)
    chain = transforms.Compose([transforms.Flatten(), transforms.ToFloat(), transforms.Normalize(0.0, 2.0)])
    assert chain(image).dtype == np.float32 and chain(image)[-1] == 5.5 and transforms.Compose()(image) is image
    assert transforms.Normalize([1, 2, 3], [1, 1, 2])(image.astype(float))[2, 0, 0] == 2.5
    assert transforms.Normalize([1], [2])(image.astype(float))[0, 0, 1] == 0
    assert transforms.ToInt()(np.array([1.9])).dtype == np.int64 and transforms.AsType is not transforms.ToInt


@pytest.mark.parametrize(
    ("module", "name", "there"),
    [
        (transforms, "Resize", "Pillow's images have convert, resize and crop"),
        (models, "ResNet50", "VGG16 is the only"),
    ],
)
def test_what_is_left_out_names_the_way(module, name, there):
    with pytest.raises(AttributeError, match=f"{name} is not part of AutoLab's dezero facade; .*{there}"):
        getattr(module, name)


@pytest.mark.source("DZ-44")
def test_a_loader_gives_passes_of_batches():
    np.random.seed(0)
    order = np.random.permutation(5)
    np.random.seed(0)
    loader = DataLoader(Squares(), 2)
    passes = [[x.tolist() for x, _ in loader] for _ in range(2)]
    assert np.concatenate(passes[0]).tolist() == order.tolist() and [len(x) for x in passes[0]] == [2, 2, 1]
    assert sorted(np.concatenate(passes[1])) == [0, 1, 2, 3, 4] and passes[0] != passes[1]
    plain = DataLoader(Squares(), 2, shuffle=False)
    for _ in plain:
        break
    assert [[t.tolist() for _, t in plain] for _ in plain] == [[[0, 1], [4, 9], [16]]] * 3
    assert plain.next()[0].tolist() == [0, 1] and next(plain)[0].tolist() == [2, 3]
    plain.reset()
    assert plain.next()[0].tolist() == [0, 1]
    with pytest.raises(StopIteration):
        [plain.next() for _ in range(3)]
    assert [x.tolist() for x, _ in SeqDataLoader(Squares(), 2)][:2] == [[0, 2], [1, 3]]
    with pytest.raises(RuntimeError, match="CuPy"):
        plain.to_gpu()
        plain.next()


@pytest.mark.source("DZ-47")
def test_mnist_from_files_that_are_there(monkeypatch, tmp_path):
    monkeypatch.setenv("AUTOLAB_CACHE", str(tmp_path))
    monkeypatch.setattr("autolab.data.mnist.fetch", lambda url, *_: tmp_path / url.rpartition("/")[2])
    images = np.arange(2 * 784, dtype=np.int64).astype(np.uint8).reshape(2, 28, 28)
    for name, header, content in [
        ("train-images-idx3-ubyte.gz", [0x803, 2, 28, 28], images),
        ("train-labels-idx1-ubyte.gz", [0x801, 2], np.array([3, 7], np.uint8)),
    ]:
        (tmp_path / name).write_bytes(gzip.compress(np.array(header, ">i4").tobytes() + content.tobytes()))
    mnist = datasets.MNIST(train=True)
    assert mnist.data.shape == (2, 1, 28, 28) and mnist.data.dtype == np.uint8 and mnist.label.tolist() == [3, 7]
    x, t = mnist[1]
    assert (x.shape, x.dtype, t) == ((784,), np.float32, 7) and x.max() == 1 and datasets.MNIST.labels()[9] == "9"


def test_what_needs_the_network_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("AUTOLAB_CACHE", str(tmp_path))
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.setattr(utils, "cache_dir", str(tmp_path))
    with pytest.raises(DownloadError, match=r"train-images-idx3-ubyte\.gz could not be fetched from https"):
        datasets.MNIST()
    for need in (datasets.Shakespear, datasets.ImageNet.labels, lambda: models.VGG16(pretrained=True)):
        with pytest.raises(OSError, match=r"^get_file: [\w.]+ could not be downloaded from https:.*; put it into "):
            need()
    (tmp_path / "shakespear.txt").write_text("hello", "utf-8")
    letters = datasets.Shakespear()
    assert letters.data.tolist() == [0, 1, 2, 2] and letters.label.tolist() == [1, 2, 2, 3]
    assert letters.id_to_char[3] == "o"


def test_data_that_are_drawn():
    x, t = datasets.get_spiral(train=True)
    assert np.allclose(x[:2], [[-0.13981389, -0.00721657], [0.37049392, 0.5820947]]) and t[:5].tolist() == [
        1,
        1,
        2,
        0,
        1,
    ]
    assert (np.hypot(*x.T) < 1).all() and np.bincount(t).tolist() == [100, 100, 100]
    again = datasets.Spiral()
    assert (again.data == x).all() and not (datasets.Spiral(train=False).data == x).all()
    curve = datasets.SinCurve(train=False)
    assert len(curve) == 999 and curve[0][0] == 1 and (curve.data[1:] == curve.label[:-1]).all()


@pytest.mark.source("DZ-46")
def test_progress_and_files(monkeypatch, tmp_path, capsys):
    utils.show_progress(1, 5, 20)
    utils.show_progress(9, 5, 20)
    utils.show_progress(1, 5, 0)
    shown = capsys.readouterr().out.split("\r")
    assert shown[1] == f"[{'#' * 7}{'.' * 23}] 25.00%" and shown[2] == shown[3] == f"[{'#' * 30}] 100.00%"
    monkeypatch.setattr(utils, "cache_dir", str(tmp_path / "cache"))
    (tmp_path / "there.txt").write_text("some text", "utf-8")
    url = (tmp_path / "there.txt").as_uri()
    path = utils.get_file(url)
    assert path == str(tmp_path / "cache" / "there.txt") and Path(path).read_text("utf-8") == "some text"
    (tmp_path / "there.txt").unlink()
    assert utils.get_file(url) == utils.get_file("https://nowhere.invalid/a/there.txt?raw=1") == path
    for error in (KeyboardInterrupt, OSError):
        monkeypatch.setattr(utils, "show_progress", lambda *_, error=error: (_ for _ in ()).throw(error("stop")))
        (tmp_path / "new.txt").write_text("x", "utf-8")
        with pytest.raises(error):
            utils.get_file((tmp_path / "new.txt").as_uri())
        assert [p.name for p in (tmp_path / "cache").iterdir()] == ["there.txt"]


# ---------------------------------------------------------------------- pictures and checks
def dot_nodes(text: str) -> list[tuple[str, str]]:
    return re.findall(r'^\d+ \[label="([^"]*)", color=(\w+),', text, re.MULTILINE)


@pytest.mark.source("DZ-18")
def test_a_graph_in_the_language_of_graphviz():
    x0, x1 = Variable(np.array(1.0), name="x0"), Variable(np.ones((2, 3), np.float32))
    y = F.sum(F.relu(x0 * x1) + x1) * 2.0
    x1.name, y.name = 'w"1', "y"
    text = utils.get_dot_graph(y, verbose=False)
    assert text.startswith("digraph g {\n") and text.endswith("}")
    nodes = dot_nodes(text.replace('\\"', "'"))
    assert [label for label, color in nodes if color == "lightblue"] == ["Mul", "Sum", "Add", "ReLU", "Mul"]
    assert sorted(label for label, color in nodes if color == "orange" and label) == ["w'1", "x0", "y"]
    assert len(re.findall(r"^\d+ -> \d+$", text, re.MULTILINE)) == 13
    told = utils.get_dot_graph(y)
    assert '"x0: () float64"' in told and '"(2, 3) float64"' in told and "(2, 3) float32" in told
    assert dot_nodes(utils.get_dot_graph(Variable(np.ones(2)))) == [("(2,) float64", "orange")]
    x = Variable(np.ones((2, 3)))  # a graph of gradients, whose own upstream gradient is gone
    (x * x).backward(create_graph=True)
    assert "(2, 3) float64" in utils.get_dot_graph(x.grad)


def test_a_function_of_several_results_is_drawn_once():
    class Both(dezero.Function):
        def forward(self, x):
            return x, -x

        def backward(self, g0, g1):
            return g0 - g1

    a, b = Both()(Variable(np.array(1.0), name="x"))
    text = utils.get_dot_graph(a * b, verbose=False)
    assert [label for label, color in dot_nodes(text) if color == "lightblue"] == ["Mul", "Both"]
    assert len([label for label, color in dot_nodes(text) if color == "orange"]) == 4


@pytest.mark.source("DZ-19", "DZ-36")
@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz's program dot is not installed")
def test_graphs_are_drawn_into_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = Variable(np.ones((2, 3)))
    utils.plot_dot_graph(x * x, to_file="graph.svg")
    Net().plot(x, to_file="it's; a model.png")
    assert b"<svg" in (tmp_path / "graph.svg").read_bytes()
    assert (tmp_path / "it's; a model.png").read_bytes().startswith(b"\x89PNG")
    assert len(list(tmp_path.iterdir())) == 2


def test_without_graphviz_autolab_draws_the_picture(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PATH", "")
    x = Variable(np.array(3.0), name="my_x")
    drawn = utils.plot_dot_graph(x * x, to_file=str(tmp_path / "graph.png"))
    told = f"plot_dot_graph: Graphviz's program dot is not installed; {tmp_path / 'graph.svg'} is AutoLab's own picture"
    assert capsys.readouterr().out.strip() == told and [step.function for step in drawn.steps] == [None, "mul"]
    assert [path.name for path in tmp_path.iterdir()] == ["graph.svg"]
    assert "my_x" in (tmp_path / "graph.svg").read_text("utf-8")


@pytest.mark.source("DZ-49")
def test_gradients_are_compared_with_numeric_ones(capsys):
    x = np.random.default_rng(0).normal(size=(3, 2))
    before = x.copy()
    assert np.allclose(utils.numerical_grad(lambda x: F.as_variable(x) ** 3, x), 3 * x**2, atol=1e-6)
    assert (x == before).all() and utils.gradient_check(F.softmax, x)
    assert utils.gradient_check(F.clip, x, -10.0, x_max=10.0)

    class Wrong(dezero.Function):
        def forward(self, x):
            return x**2

        def backward(self, gy):
            return gy * 3

    assert not utils.gradient_check(lambda x: Wrong()(x), x)
    assert "FAILED (Gradient Check)" in capsys.readouterr().out
    assert utils.array_equal(x, Variable(x)) and utils.array_allclose(1.0, np.array(1.000001))
    assert utils.max_backward_shape(x, 1) == [3, 1] and utils.max_backward_shape(x, None) == [1, 1]
    with pytest.raises(ValueError, match=r"pair: got \[1, 2\]; expected"):
        utils.pair([1, 2])


@pytest.mark.source("DZ-17")
@pytest.mark.source("DZ-48")
def test_without_a_gpu_cuda_says_so():
    assert dezero.cuda.get_array_module(Variable(np.ones(2))) is np and type(dezero.cuda.as_numpy(2.0)) is np.ndarray
    if not dezero.cuda.gpu_enable:
        with pytest.raises(RuntimeError, match="CuPy"):
            dezero.cuda.as_cupy(np.ones(2))
        with pytest.raises(AttributeError, match=r"dezero\.cuda\.cupy is not part of AutoLab's dezero facade; CuPy"):
            dezero.cuda.cupy  # noqa: B018
    layer = L.Linear(2, in_size=3)
    layer.to_cpu()
    x = Variable(np.ones(2))
    assert x.to_cpu() is None and x.data.tolist() == [1, 1]

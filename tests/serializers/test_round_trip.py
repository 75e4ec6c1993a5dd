"""What is saved comes back: names, numbers, sizes, and the exact path."""

from __future__ import annotations

import numpy as np
import pytest

from autolab import links as L
from autolab import optimizers, serializers

FORMATS = [
    pytest.param(serializers.save_npz, serializers.load_npz, id="npz"),
    pytest.param(serializers.save_hdf5, serializers.load_hdf5, id="hdf5"),
]


def trained(net):
    optimizer = optimizers.Adam().setup(net)
    x, t = np.ones((4, 5), np.float32), np.array([0, 1, 2, 0])
    model = L.Classifier(net)
    for _ in range(3):
        optimizer.update(model, x, t)
    return optimizer


@pytest.mark.source("CI-17", "CI-18", "CI-19")
@pytest.mark.parametrize(("save", "load"), FORMATS)
def test_models_and_optimizers_come_back(save, load, tmp_path):
    net = L.MLP((8, 3))
    optimizer = trained(net)
    save(tmp_path / "my.model", net)
    save(tmp_path / "my.state", optimizer)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["my.model", "my.state"]

    twin = L.MLP((8, 3))
    load(tmp_path / "my.model", twin)
    other = optimizers.Adam().setup(twin)
    load(tmp_path / "my.state", other)
    assert other.t == 3
    for (name, a), (_, b) in zip(net.namedparams(), twin.namedparams(), strict=True):
        np.testing.assert_array_equal(a.data, b.data, err_msg=name)
        assert a.dtype == b.dtype
    for one, its_optimizer in ((net, optimizer), (twin, other)):  # it goes on as if nothing had been saved
        for _ in range(3):
            its_optimizer.update(L.Classifier(one), np.eye(5, dtype=np.float32), np.array([2, 0, 1, 1, 0]))
    for (name, a), (_, b) in zip(net.namedparams(), twin.namedparams(), strict=True):
        np.testing.assert_array_equal(a.data, b.data, err_msg=name)
    assert {k: np.asarray(v).tobytes() for k, v in other.state().items()} == {
        k: np.asarray(v).tobytes() for k, v in optimizer.state().items()
    }


@pytest.mark.parametrize(("save", "load"), FORMATS)
def test_parameters_without_a_size_stay_without_one(save, load, tmp_path):
    save(tmp_path / "lazy", L.MLP((8, 3)))
    twin = L.MLP((8, 3))
    load(tmp_path / "lazy", twin)
    assert twin.l0.W.data is None and twin.l0.b.shape == (8,)


@pytest.mark.parametrize(("save", "load"), FORMATS)
def test_a_file_of_another_model_changes_nothing(save, load, tmp_path):
    net = L.MLP((8, 3))
    net(np.ones((1, 5), np.float32))
    save(tmp_path / "other", L.Linear(5, 8))
    before = {name: array.copy() for name, array in net.state().items()}
    with pytest.raises(ValueError, match="nothing was loaded"):
        load(tmp_path / "other", net)
    for name, array in net.state().items():
        np.testing.assert_array_equal(array, before[name])


def test_numpy_opens_the_archive(tmp_path):
    layer = L.Linear(3, 2)
    serializers.save_npz(tmp_path / "layer.npz", layer)
    with np.load(tmp_path / "layer.npz") as archive:
        assert archive.files == ["W", "b"]
        np.testing.assert_array_equal(archive["W"], layer.W.data)
    np.savez(tmp_path / "numpy.npz", W=np.ones((2, 3)), b=np.zeros(2))
    serializers.load_npz(tmp_path / "numpy.npz", layer)
    assert (layer.W.data == 1).all() and layer.W.dtype == np.float32


@pytest.mark.parametrize(("save", "load"), FORMATS)
@pytest.mark.parametrize(
    ("target", "what"), [({}, "a dict"), (3, "an int"), (L.MLP, "the class MLP"), (optimizers.SGD, "the class SGD")]
)
def test_what_has_no_state_is_refused(save, load, target, what, tmp_path):
    save(tmp_path / "file", L.Linear(2, 3))
    for act in (save, load):
        with pytest.raises(TypeError, match=rf"{act.__name__}: got {what}; expected a Link"):
            act(tmp_path / "file", target)


def test_a_compression_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError, match="save_hdf5: compression is 10; expected a whole number from 0 to 9"):
        serializers.save_hdf5(tmp_path / "file", L.Linear(2, 3), compression=10)
    assert not list(tmp_path.iterdir())


def test_whole_numbers_become_weights_that_can_be_trained(tmp_path):
    np.savez(tmp_path / "file.npz", W=np.ones((2, 3), int), b=np.zeros(2, int))
    for layer in (L.Linear(3, 2), L.Linear(None, 2)):
        serializers.load_npz(tmp_path / "file.npz", layer)
        assert layer.W.dtype == layer.b.dtype == np.float32
    np.savez(tmp_path / "file.npz", W=np.ones((2, 3), np.float64), b=np.zeros(2))
    layer = L.Linear(None, 2)
    serializers.load_npz(tmp_path / "file.npz", layer)
    assert layer.W.dtype == np.float64  # what was trained goes on with the same numbers

"""Reports printed where the output's encoding lacks their signs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import autolab
from autolab.views.draw.numbers import SIGN

REPORTS = """
import sys
import numpy as np, autolab
from autolab import Variable, functions as F

def loss(x):
    return F.sum(x * x)

x = Variable(np.array([-2.0, 3.0]), name="é")
y = F.log(x)
y.backward(np.ones(2))
print(sys.stdout.errors)
for shown in (
    x, y, x.grad, x.grad_status, y.creator, autolab.record(lambda x: np.sin(x) * x**2 - 3, -2.0),
    autolab.derivatives(np.tanh, -1.0), autolab.diagnose(loss, np.ones(3)), autolab.check_gradients(loss, -np.ones(3)),
    autolab.links.Linear(2, 3), autolab.optimizers.Adam(),
):
    print(shown, repr(shown))
print("−∂∞π√ΣΠ∫′″‴→↑↓≤≥✓✗○⊤αΦ x⁻² y⁽⁴⁾ T₂ 漢")
"""
SPELT = "-dinfpisqrtsumprodintegral''''''->^v<=>=okwrongoTalphaPhi x^-2 y^(4) T2 \\u6f22"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_a_script_prints_every_report_on_a_narrow_output(encoding):
    first, *_, last = printed(encoding)
    assert first == "autolab.nearest"
    assert last == SPELT


@pytest.mark.parametrize(("encoding", "errors"), [("utf-8", "strict"), ("ascii:replace", "replace")])
def test_an_output_with_all_signs_or_another_choice_stays_as_it_is(encoding, errors):
    assert printed(encoding)[0] == errors


def printed(encoding: str) -> list[str]:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-c", REPORTS], env=environment, capture_output=True, check=False)
    assert not done.returncode, done.stderr.decode()
    return done.stdout.decode(encoding.partition(":")[0]).splitlines()


def test_every_sign_in_a_text_of_the_package_has_letters():
    texts = [file.read_text("utf-8") for file in Path(autolab.__file__).parent.rglob("*.py")]
    signs = {sign for text in texts for sign in text if not sign.isascii()} - {"漢", SIGN}
    assert not [sign for sign in sorted(signs) if b"\\" in sign.encode("ascii", errors="autolab.nearest")]

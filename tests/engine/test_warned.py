"""NumPy's warnings are told of the user's line, once for each line, by the user's filters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT

SCRIPT = """
import warnings
import autolab
from autolab import Variable, functions as F
x = Variable([-1.0, 0.0])
for _ in range(3):
    F.log(x)
F.sqrt(x).sum().backward()
F.log(Variable([-1.0]))
warnings.filterwarnings("ignore", module="__main__")
F.log(x)
"""


@pytest.mark.parametrize("flag", [[], ["-W", "always"]], ids=["default", "always"])
def test_a_warning_names_the_line_of_the_user(tmp_path: Path, flag: list[str]) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, *flag, str(script)], cwd=ROOT, capture_output=True, text=True, check=True)
    told = [line.removeprefix(f"{script}:") for line in done.stderr.splitlines() if not line.startswith(" ")]
    again = 3 if flag else 1
    assert told == [
        *["7: RuntimeWarning: divide by zero encountered in log", "7: RuntimeWarning: invalid value encountered in log"]
        * again,
        "8: RuntimeWarning: invalid value encountered in sqrt",
        *told[2 * again + 1 : -1],
        "9: RuntimeWarning: invalid value encountered in log",
    ]
    assert all(line.startswith("8: RuntimeWarning: ") for line in told[2 * again : -1])
    assert "\n  F.log(x)\n" in done.stderr


def test_a_warning_of_the_users_own_stays_as_it_is() -> None:
    code = "import autolab, numpy as np\nnp.log(np.zeros(1))\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    told, *source = done.stderr.splitlines()
    assert told == "<string>:2: RuntimeWarning: divide by zero encountered in log"
    assert source in ([], ["  np.log(np.zeros(1))"])  # Python 3.13 knows the text of -c

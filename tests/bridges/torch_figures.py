"""Writes what PyTorch gives for the calls of tests/helpers/torch_calls.py: ``python tests/bridges/torch_figures.py``.

`make test` compares the facade with these figures, without PyTorch.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]

from helpers.torch_calls import lines, outcome
from helpers.torch_figures import save

if __name__ == "__main__":
    import torch

    save({line: outcome(torch, torch.nn, line) for line in lines()})

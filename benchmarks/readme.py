"""Write the speed table of README.md from results/engine.json; `engine.py --save engine` makes that."""

from __future__ import annotations

from speed import environment
from speed.summary import load, replaced

RESULTS = environment.BENCHMARKS / "results" / "engine.json"
README = environment.ROOT / "README.md"

if __name__ == "__main__":
    README.write_text(replaced(README.read_text("utf-8"), load(RESULTS)), "utf-8")

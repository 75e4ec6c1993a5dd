"""Write the speed tables of README.md and docs/speed.md from what `engine.py --save engine` saved."""

from __future__ import annotations

from speed import environment
from speed.summary import documents, load

from autolab.shared.files import write

RESULTS = environment.BENCHMARKS / "results" / "engine.json"

if __name__ == "__main__":
    for path, text in documents(load(RESULTS)).items():
        write(path, text)

"""Write docs/habits.md from the table that the messages read: ``python scripts/habits.py``."""

from pathlib import Path

from autolab.engine.habits import markdown
from autolab.shared.files import write

if __name__ == "__main__":
    write(Path(__file__).parents[1] / "docs" / "habits.md", markdown())

"""Write docs/habits.md from the table that the messages read: ``python scripts/habits.py``."""

from pathlib import Path

from autolab.engine.habits import markdown

if __name__ == "__main__":
    (Path(__file__).parents[1] / "docs" / "habits.md").write_text(markdown(), "utf-8")

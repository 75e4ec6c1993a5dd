"""What is wrong with a program: `diagnose` runs copies of it, and each of its rules examines these runs."""

from .examination import diagnose
from .report import Diagnosis, ProgramFinding

__all__ = ["Diagnosis", "ProgramFinding", "diagnose"]

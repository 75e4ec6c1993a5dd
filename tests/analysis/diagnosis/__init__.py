"""The table of mistakes and of healthy programs by which `autolab.diagnose` is measured."""

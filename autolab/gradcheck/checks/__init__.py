"""The checks themselves: each measures, judges, names and reports."""

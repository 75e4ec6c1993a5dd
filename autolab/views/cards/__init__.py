"""How single objects show themselves: Variables, links, optimizers, the table of conventions."""

"""How single objects are displayed: Variables, links, optimizers, and the table of conventions."""

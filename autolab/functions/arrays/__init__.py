"""Functions that move, select, repeat and join elements without computing with them."""

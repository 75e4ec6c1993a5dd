"""Functions that move, choose, repeat and join elements, without computing with them."""

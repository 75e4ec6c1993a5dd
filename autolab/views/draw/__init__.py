"""Building blocks of all pictures: escaped text, colours, numbers in words, cells, charts; all pure functions."""

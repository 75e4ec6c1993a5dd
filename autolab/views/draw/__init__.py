"""What every picture is made of: escaped text, colours, numbers in words, cells, charts; all pure functions."""

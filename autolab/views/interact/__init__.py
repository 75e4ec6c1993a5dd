"""What a function makes of numbers that can be moved."""

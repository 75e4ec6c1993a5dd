"""The pieces of `gpu.py`: what is timed, how, and what is said of it."""

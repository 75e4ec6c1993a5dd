"""The engine: arrays in, gradients out. README.md in this folder follows a gradient through it."""

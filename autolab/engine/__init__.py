"""The engine: arrays in, gradients out. README.md in this folder says how a gradient travels through it."""

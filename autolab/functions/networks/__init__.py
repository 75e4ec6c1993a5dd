"""What layers of neural networks compute: activations, convolutions, normalization, attention."""

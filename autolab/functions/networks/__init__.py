"""The functions of neural network layers: activations, convolutions, pooling, normalization, attention."""

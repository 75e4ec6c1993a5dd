"""A convolution and its gradient

A 3 x 3 kernel slides over an image with a bright corner. The gradient of the kernel shows which parts of the image each
of its numbers has seen. Drag the numbers of the kernel: this one finds vertical edges.
"""

import numpy as np

import autolab
from autolab import functions as F

image = np.zeros((1, 1, 6, 6))
image[..., :4, :3] = 1.0
edges = np.array([[1.0, 0.0, -1.0]] * 3).reshape(1, 1, 3, 3)


def convolution(image, kernel):
    y = F.conv2d(image, kernel)
    loss = F.mean(F.relu(y))
    return loss


view = autolab.explore(convolution, image, edges)

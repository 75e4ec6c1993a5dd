"""``torch.nn.init``: numbers for parameters, written in place. They are NumPy's random numbers, not PyTorch's."""

from ....links.init import (  # noqa: F401
    calculate_gain,
    constant_,
    eye_,
    kaiming_normal_,
    kaiming_uniform_,
    normal_,
    ones_,
    orthogonal_,
    uniform_,
    xavier_normal_,
    xavier_uniform_,
    zeros_,
)

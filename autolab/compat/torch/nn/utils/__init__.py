"""``torch.nn.utils``"""

from .....links import utils as _utils
from .....links.utils import vector_to_parameters as vector_to_parameters
from ....absent import gather
from ....table import fill
from ..._tensor import dressed

fill(__name__)
__getattr__ = gather(__name__)

"""t"""
from .. import missing
__getattr__ = missing(__name__)

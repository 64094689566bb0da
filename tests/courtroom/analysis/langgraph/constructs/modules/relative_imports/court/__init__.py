from .names import NAMES

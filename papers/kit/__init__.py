"""What the scripts of the papers share: items, how they are run, and the pages that show them."""

from kit.items import ITEMS, Claim, Finding, Item, item
from kit.lab import Lab, Scale
from kit.searches import Effort, Measured, Searches

__all__ = [
    "ITEMS",
    "Claim",
    "Effort",
    "Finding",
    "Item",
    "Lab",
    "Measured",
    "Scale",
    "Searches",
    "item",
]

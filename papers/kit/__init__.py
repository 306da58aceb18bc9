"""What the scripts of the papers share: items, how they are run, and the pages that show them."""

from kit.items import ITEMS, Finding, Item, item
from kit.lab import Lab, Scale
from kit.searches import Effort, Measured, Searches
from kit.verdicts import Claim, Number

__all__ = [
    "ITEMS",
    "Claim",
    "Effort",
    "Finding",
    "Item",
    "Lab",
    "Measured",
    "Number",
    "Scale",
    "Searches",
    "item",
]

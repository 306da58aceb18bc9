"""What the scripts of the papers share: items, how they are run, and the pages that show them."""

from kit.items import ITEMS, Claim, Finding, Item, item
from kit.lab import Lab

__all__ = ["ITEMS", "Claim", "Finding", "Item", "Lab", "item"]

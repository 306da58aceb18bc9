"""What the scripts of the papers share: items, how they are run, and the pages that show them."""

from kit.items import ITEMS, Finding, Item, item
from kit.lab import Lab, Scale
from kit.numbers import COUNTED, Count, Incomparable, Judged, Mean, Means, Median, Share
from kit.searches import Effort, Measured, Searches
from kit.verdicts import Alike, Claim, Verdict, mostly, proportion

__all__ = [
    "COUNTED",
    "ITEMS",
    "Alike",
    "Claim",
    "Count",
    "Effort",
    "Finding",
    "Incomparable",
    "Item",
    "Judged",
    "Lab",
    "Mean",
    "Means",
    "Measured",
    "Median",
    "Scale",
    "Searches",
    "Share",
    "Verdict",
    "item",
    "mostly",
    "proportion",
]

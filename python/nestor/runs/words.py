"""What results say of their runs in words: why they stopped, and what else was asked for."""

from __future__ import annotations

from typing import Any

STOPS = {
    "target": "the target was reached",
    "seconds": "the time was up",
    "playouts": "the playouts were used up",
    "finished": "the search was complete",
    "no_improvement": "nothing better was found for long enough",
    "first_solved": "the first solution that meets every constraint was found",
    "cancelled": "it was cancelled",
    "callback": "the callback ended it",
    "interrupted": "it was interrupted",
    "lost": "the workers were lost",
    "failed": "an exception ended it",
}
"""Stop reasons in words."""


def options_text(options: dict[str, Any]) -> str:
    """Return the options of a run (see `Run.options`) in words."""
    words = []
    if exchange := options.get("exchange"):
        words.append(f"exchange every {exchange['every']:,} playouts ({exchange['topology']})")
    if "initial" in options:
        words.append("began with a given sequence")
    if "stop" in options:
        words.append(f"stop={options['stop']}")
    return ", ".join(words)

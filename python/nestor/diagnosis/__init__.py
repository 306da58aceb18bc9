"""What random games and short searches say about a user's own problem, and which page mends it."""

from nestor.diagnosis.report import Diagnosis, Finding, diagnose, stopped

__all__ = ["Diagnosis", "Finding", "diagnose", "stopped"]

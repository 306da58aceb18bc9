"""Inverse RNA folding: design a sequence that folds into a given structure."""

from nestor.problems.rna.energy import MODELS
from nestor.problems.rna.problem import ORDERS, RNA, State
from nestor.problems.rna.solution import Design, to_csv, to_fasta

__all__ = ["MODELS", "ORDERS", "RNA", "Design", "State", "to_csv", "to_fasta"]

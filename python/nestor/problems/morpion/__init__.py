"""Morpion Solitaire: add as many lines of dots to a cross as the rules allow."""

from nestor.problems.morpion.lines import Move, State
from nestor.problems.morpion.problem import Morpion
from nestor.problems.morpion.reading import load_record
from nestor.problems.morpion.solution import Game

__all__ = ["Game", "Morpion", "Move", "State", "load_record"]

"""Inverse RNA folding: the biases of NEMO and of n-grams."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from nestor import GNRPA, InputError, learn_prior, solve
from nestor.prior import Prior
from nestor.problems.rna import RNA, Design, learn, nemo, ngram
from nestor.problems.rna.context import Rule
from nestor.problems.rna.structure import MOVES, partners_of

vienna = pytest.importorskip("RNA", reason="needs ViennaRNA: pip install 'nestor[rna]'")


def rule_of(target: str, position: int) -> Rule:
    problem = RNA(target, order="target")
    contexts = nemo.contexts(partners_of(target), "target")
    assert contexts.rules is not None
    return contexts.rules[problem._places.index(position)]


def chances(row: int) -> dict[str, float]:
    """Return the probabilities of a row's moves, without those of the other kind."""
    betas = nemo.ROWS[row]
    kind = MOVES[:6] if any(betas[:6]) else MOVES[6:]
    weights = {move: math.exp(betas[MOVES.index(move)]) for move in kind}
    return {move: weight / sum(weights.values()) for move, weight in weights.items()}


def test_weights_of_nemo() -> None:
    assert chances(nemo.PAIR)["CG"] == pytest.approx(16 / 54)
    assert chances(nemo.PAIR_RIGHT)["AU"] == pytest.approx(15 / 54)
    assert chances(nemo.PAIR_LEFT)["GC"] == pytest.approx(22 / 54)
    assert chances(nemo.TRILOOP)["GC"] == pytest.approx(0.5, abs=0.01)
    assert chances(nemo.FREE) == pytest.approx({"A": 0.93, "C": 0.01, "G": 0.05, "U": 0.01})
    assert chances(nemo.FACING + 3)["U"] == pytest.approx(6 / 11, abs=0.01)
    assert chances(nemo.HAIRPIN_FIRST)["G"] == pytest.approx(11 / 12 + 0.05 / 12, abs=0.01)
    assert chances(nemo.HAIRPIN_LAST + 2)["A"] > 0.99
    assert chances(nemo.HAIRPIN_LAST + 1) == pytest.approx(chances(nemo.FREE))
    assert chances(nemo.INTERNAL)["G"] == pytest.approx(0.3 + 0.3 * 20 / 27)
    assert chances(nemo.OPPOSITE + 3)["U"] > 0.9
    assert chances(nemo.ONE)["G"] > 0.9
    assert chances(nemo.JUNCTION_G)["G"] == pytest.approx(48 / 147)


def test_places_of_nemo() -> None:
    hairpin = "((....))"
    assert rule_of(hairpin, 0).otherwise == nemo.PAIR
    assert rule_of(hairpin, 2).otherwise == nemo.HAIRPIN_FIRST
    assert rule_of(hairpin, 3).otherwise == nemo.FREE
    assert rule_of(hairpin, 5).by_base == (2, nemo.HAIRPIN_LAST)
    triloop = "((...))"
    assert {case.bases for case in rule_of(triloop, 1).cases} == {"CG", "GC"}
    assert rule_of(triloop, 2) == rule_of(triloop, 4) == Rule(nemo.FREE)
    bulge = "(.((...)))"
    assert rule_of(bulge, 1).by_base == (9, nemo.FACING)
    one = "(.(....).)"
    assert rule_of(one, 1).otherwise == nemo.ONE
    assert rule_of(one, 8).by_base == (1, nemo.ONE_OPPOSITE)
    two = "(..(....)..)"
    assert rule_of(two, 1).otherwise == nemo.TWO
    assert rule_of(two, 2).by_base == (1, nemo.TWO_SECOND)
    assert rule_of(two, 9).cases[0].row == nemo.TWO_OPPOSITE_G
    assert rule_of(two, 10).cases[0].row == nemo.TWO_OPPOSITE_U
    assert rule_of(two, 10).by_base == (1, nemo.OPPOSITE)
    three = "(...(....)..)"
    assert rule_of(three, 1).otherwise == rule_of(three, 3).otherwise == nemo.INTERNAL
    assert rule_of(three, 2).otherwise == nemo.FREE
    junction = "((...).(...).(...)(...))."
    assert rule_of(junction, 0).otherwise == nemo.PAIR_RIGHT
    assert rule_of(junction, 1).otherwise == nemo.PAIR_LEFT
    assert rule_of(junction, 6).otherwise == nemo.JUNCTION
    assert rule_of(junction, 7).otherwise == nemo.PAIR
    assert rule_of(junction, 18).otherwise == nemo.PAIR_LEFT
    outside = "..(...).."
    assert rule_of(outside, 0).otherwise == nemo.FREE
    assert rule_of(outside, 1).cases[0].row == nemo.JUNCTION_C
    assert rule_of(outside, 7).cases[0].row == nemo.JUNCTION_G


def test_rules_read_the_bases_decided() -> None:
    rule = rule_of("..(...)..", 1)
    assert rule.row([None] * 9) == nemo.JUNCTION
    assert rule.row([None, None, "G", None, None, None, "C", None, None]) == nemo.JUNCTION_C
    assert rule.row([None, None, "C", None, None, None, "G", None, None]) == nemo.JUNCTION
    opposite = rule_of("(.(....).)", 8)
    assert opposite.row([None] * 10) == nemo.INTERNAL
    assert opposite.row([None, "C", *[None] * 8]) == nemo.ONE_OPPOSITE + 1


def test_ngram_prior_is_the_papers() -> None:
    """100 codes; the paper's least and greatest priors are 0.010083 and 0.437825 (figure 4)."""
    prior = Prior.load(ngram.PRIOR)
    shares = [count / nb for count, nb in prior.counts.values()]
    assert len(shares) == 100
    assert min(shares) == pytest.approx(0.010083, rel=0.1)
    assert max(shares) == pytest.approx(0.437825, rel=0.02)
    problem = RNA("((...))", order="target").with_bias("ngram")
    state = problem.initial()
    assert {problem.bias(state, move) for move in problem.moves(state)} == {0.0}
    state = problem.play(state, "GC")
    count, nb = prior.counts[ngram.code_of("GC", "CG")]
    assert problem.bias(state, "CG") == pytest.approx(6 * math.log(count / nb))
    result = solve(problem, GNRPA(1, 20, bias="ngram"), seed=1)
    assert isinstance(result.solution, Design)


def test_the_bias_is_the_prior_at_the_papers_temperature() -> None:
    problem = RNA("((((....)))).((...))..")
    prior = GNRPA(2, 10, prior=ngram.PRIOR, prior_temperature=ngram.TEMPERATURE)
    runs = [solve(problem, algorithm, seed=1) for algorithm in (prior, GNRPA(2, 10, bias="ngram"))]
    assert runs[0].moves == runs[1].moves
    assert runs[0].improvements[-1].playouts == runs[1].improvements[-1].playouts


def test_ngram_counts_are_those_of_replay() -> None:
    choose = random.Random(4)
    solved = []
    for _ in range(20):
        sequence = "".join(choose.choices("ACGU", k=60))
        solved.append((vienna.fold_compound(sequence).mfe()[0], sequence))
    learned = learn.learn(solved, "here", "this test")
    problems = [
        (RNA(structure, order="target"), learn.moves_of(structure, sequence))
        for structure, sequence in solved
        if "(" in structure
    ]
    replayed = learn_prior(problems).counts
    for code, counts in learned.counts.items():
        assert replayed.get(code, (0, 0)) == counts
    # Replay counts the first move too, which follows none.
    assert {code for code in replayed if code not in learned.counts} <= set(range(10))
    assert learned.provenance["sequences"] == len(problems)


def test_learning_leaves_out_what_is_no_solution() -> None:
    solved = [("(...)", "GAAAC"), (".....", "GAAAC"), ("(...)", "GANAC"), ("(...)", "GAAAG")]
    prior = learn.learn(solved, "here", "this test")
    assert prior.provenance["sequences"] == 1
    assert prior.counts[ngram.code_of("GC", "A")] == (1, 1)
    assert prior.counts[ngram.code_of("A", "A")] == (2, 2)
    with pytest.raises(InputError, match="at least one sequence"):
        learn.learn([], "here", "this test")


@pytest.mark.parametrize("row", ["GGAAACC", "GGAAAC\t((...))", "GGAAACCC\t((...))", "\t((...))"])
def test_rows_of_a_table_are_complete(row: str, tmp_path: Path) -> None:
    table = tmp_path / "table.tsv"
    table.write_text(f"sequence\tmfe_structure\nGGAAACC\t((...))\n{row}\n")
    with pytest.raises(InputError, match=r"table\.tsv:3: a structure and a sequence of the same"):
        learn.learn(learn.read_table(table), "here", "this test")


def test_learning_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, target = tmp_path / "table.tsv", tmp_path / "prior.json.gz"
    table.write_text("sequence\tmfe_structure\nGGAAACC\t((...))\n")
    assert learn.main([str(table), str(target)]) == 0
    assert Prior.load(target).counts[ngram.code_of("GC", "GC")] == (1, 1)
    assert learn.main([str(table)]) == 2
    assert learn.main([str(tmp_path / "missing"), str(target)]) == 2
    table.write_text("a\tb\n1\t2\n")
    assert learn.main([str(table), str(target)]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 3
    assert all(line.startswith("Error: ") for line in errors)

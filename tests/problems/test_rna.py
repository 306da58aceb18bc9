"""Inverse RNA folding: rules, twin, biases, reader, energies, verifier, texts and pictures."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nestor import GNRPA, NRPA, InputError, VerificationError, solve
from nestor.picture import Circle, Line, Text
from nestor.problems.rna import (
    RNA,
    Design,
    command,
    energy,
    learn,
    reading,
    to_csv,
    to_fasta,
)
from nestor.problems.rna.solution import nemo_score
from nestor.problems.rna.structure import allowed_bases, distance, partners_of
from nestor.testing import check_problem
from support.folding import JUNCTION, folded, random_sequence, vienna

SMALL = "((((....)))).((...)).."
EASY = ".((((....))))..(((((...)))))."


# Targets and constraints


def test_constraints_leave_out_moves() -> None:
    problem = RNA("(...).", sequence="rnTRsy", order="target")
    assert problem.sequence == "RNURSY"
    state = problem.initial()
    legal = []
    while moves := problem.moves(state):
        legal.append(moves)
        state = problem.play(state, moves[-1])
    assert legal == [["GC"], ["A", "C", "G", "U"], ["U"], ["A", "G"], ["C", "U"]]


@pytest.mark.parametrize(("left", "right"), [(30, 0), (28, 2), (15, 15)])
def test_the_longest_interior_loops_can_be_folded(left: int, right: int) -> None:
    sequence = "GGGGGG" + "A" * left + "GGGGGGAAAACCCCCC" + "A" * right + "CCCCCC"
    target = "((((((" + "." * left + "((((((....))))))" + "." * right + "))))))"
    assert RNA(target).design(sequence).solved
    with pytest.raises(InputError, match="have 31 unpaired bases"):
        RNA(target.replace("(.", "(..", 1))


def test_iupac_letters() -> None:
    partners = partners_of("." * 16)
    sets = allowed_bases("ACGTURYSWKMBDHVN", partners)
    assert sets[:6] == ("A", "C", "G", "U", "U", "AG")
    assert [len(bases) for bases in sets] == [1] * 5 + [2] * 6 + [3] * 4 + [4]


def test_every_result_keeps_the_constraint() -> None:
    constraint = "GNNNNNNNNNNCNNRYNNNNNA"
    result = solve(RNA(SMALL, sequence=constraint), GNRPA(1, 50), seed=1)
    allowed = allowed_bases(constraint, partners_of(SMALL))
    assert isinstance(result.solution, Design)
    assert all(b in s for b, s in zip(result.solution.sequence, allowed, strict=True))


# Rules and twin


@pytest.mark.parametrize("bias", RNA.biases)
@pytest.mark.parametrize("order", ["pairs", "target"])
@pytest.mark.parametrize("model", energy.MODELS)
def test_conformance(bias: str, order: str, model: str) -> None:
    """The core's folds equal those of ViennaRNA's Python API, and more."""
    problem = RNA(JUNCTION, order=order, model=model).with_bias(bias)
    check_problem(problem, playouts=3, report=False)


structures = st.recursive(
    st.text(".", min_size=3, max_size=6),
    lambda inner: st.builds(lambda a, b, c: f"{a}({b}){c}", st.text(".", max_size=2), inner, inner),
    max_leaves=6,
)


@pytest.mark.parametrize("examples", [6, pytest.param(100, marks=pytest.mark.long)])
def test_conformance_on_random_targets(examples: int) -> None:
    @settings(max_examples=examples)
    @given(structures, st.sampled_from(RNA.biases), st.sampled_from(["pairs", "target"]))
    def conforms(target: str, bias: str, order: str) -> None:
        check_problem(RNA(target, order=order).with_bias(bias), playouts=2, report=False)

    conforms()


def test_places_from_left_to_right_or_pairs_first() -> None:
    moves: dict[str, list[str]] = {
        "target": ["GU", "C", "A", "CG", "A", "U", "A", "U"],
        "pairs": ["GU", "CG", "C", "A", "A", "U", "A", "U"],
    }
    assert learn.moves_of("(..(...)).", "GCACAUAGUU") == moves["target"]
    for order, listed in moves.items():
        assert RNA("(..(...)).", order=order).solution(listed).sequence == "GCACAUAGUU"


def test_score_of_known_folds() -> None:
    problem = RNA("((((....))))")
    assert problem.design("GGGGAAAACCCC").score == 1.0
    unfolded = problem.design("GAAAAAAAUUUC")
    assert unfolded.structure == "." * 12
    gap = round(100 * (unfolded.target_energy - unfolded.energy))
    assert gap > 0
    assert unfolded.score == (1 - 4 / 8) / (1.01 + gap / 100)


@pytest.mark.parametrize(
    ("pairs", "apart", "gap", "score"),
    [
        (4, 0, 0, 1.0),
        (4, 2, 0, 0.75 / 1.01),
        (4, 2, 150, 0.75 / (1.01 + 1.5)),
        (4, 8, 150, 0.0),
        (4, 10, 150, -0.25 * (1.01 + 1.5)),
        (4, 2, -20, 0.75 / 1.01),
        (0, 3, 0, 0.25),
        (0, 0, 0, 1.0),
    ],
)
def test_nemo_score(pairs: int, apart: int, gap: int, score: float) -> None:
    assert nemo_score(pairs, apart, gap) == score


def test_distance_of_structures() -> None:
    first, second = partners_of("((...)).(...)"), partners_of(".(...)..(...)")
    assert distance(first, second) == 1
    assert distance(first, first) == 0
    assert distance(first, partners_of("." * 13)) == 3


def test_targets_without_pairs() -> None:
    result = solve(RNA("......"), NRPA(1, 20), seed=1)
    assert result.score == 1.0
    assert result.solution.solved


def test_sequences_of_the_wrong_form_are_refused() -> None:
    problem = RNA("(...)", sequence="GNNNN")
    with pytest.raises(InputError, match="sequence must be 5 letters"):
        problem.design("GAAAX")
    with pytest.raises(InputError, match="sequence must be 5 letters"):
        problem.design("GAAC")
    wrong: Any
    for wrong in (None, 5, list("GAAAC")):
        with pytest.raises(InputError, match="sequence must be a string, not"):
            problem.design(wrong)
    assert problem.design("gaTac") == problem.design("GAUAC")


# Search


def test_easy_targets_are_solved() -> None:
    for bias in ("nemo", "ngram"):
        result = solve(RNA(EASY), GNRPA(2, bias=bias), target=1.0, playouts=20_000, seed=1)
        assert result.solution.solved
        assert result.stop_reason == "target"
        assert result.verified


def test_nemo_is_the_default_bias() -> None:
    assert solve(RNA("(...)"), GNRPA(1, 2)).bias == "nemo"


# Reading


def test_reading_targets(tmp_path: Path) -> None:
    path = tmp_path / "targets.dbn"
    path.write_text(
        ">first\n((...))\n\n(...)\nGNNNC\n>third one\nGNNNNNY\n((...)) (-1.20)\n.(...). ( -0.50)\n"
    )
    found = RNA.read_all(path, model="turner1999-d1")
    assert [p.target for p in found] == ["((...))", "(...)", "((...))", ".(...)."]
    assert [p.sequence for p in found] == ["", "GNNNC", "GNNNNNY", ""]
    assert [p.title for p in found[::2]] == ["first", "third one"]
    assert found[1].title == "targets.dbn line 4"
    assert {p.model for p in found} == {"turner1999-d1"}
    assert RNA.read(path, 2, order="target").target == "(...)"
    assert RNA.read(path, 1, sequence="NNANNNN").sequence == "NNANNNN"
    with pytest.raises(InputError, match=r"dbn:4: sequence must not be given, .* has its own"):
        RNA.read(path, 2, sequence="GNNNC")


def test_equal_titles_get_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "targets.fa"
    path.write_text(">hairpin\n(...)\n>other\n(...)\n>hairpin\n(....)\n(...)\n")
    titles = ["hairpin line 2", "other", "hairpin line 6", "targets.fa line 7"]
    assert [each.title for each in RNA.read_all(path)] == titles
    assert RNA.read(path, 3).title == "hairpin line 6"


@pytest.mark.parametrize("energy", ["", " (-1.20)", " ( -1.20)\n", "\t(0)"])
def test_an_energy_behind_a_target_is_passed_over(energy: str) -> None:
    assert RNA(f"(((...))){energy}") == RNA("(((...)))")
    assert command.load(f"(((...))){energy}").target == "(((...)))"


@pytest.mark.parametrize("wrong", [" ", " (...)", " -1.20", " (-1.20) x"])
def test_nothing_else_may_be_behind_a_target(wrong: str) -> None:
    with pytest.raises(InputError, match="position 10 is ' '"):
        RNA(f"(((...))){wrong}")


def test_lines_end_only_where_editors_end_them() -> None:
    for end in ("\n", "\r\n", "\r"):
        text = f">a\u2028N\x85N{end}(...){end}{end}(...)"
        found = reading.targets(text, "here")
        assert [(each.title, each.sequence, each.line) for each in found] == [
            ("a\u2028N\x85N", "", 2),
            ("", "", 4),
        ]


def test_only_the_target_that_is_read_has_to_be_right(tmp_path: Path) -> None:
    path = tmp_path / "targets.fa"
    path.write_text(">a\n((...)\nGNNNN\n>b\n(...)\nGNNNC\n>c\n[(...)]\n>d\n(....)\n")
    assert (RNA.read(path, 2).sequence, RNA.read(path, 4).title) == ("GNNNC", "d")
    for number, message in (
        (1, "fa:2: target: the '\\('"),
        (3, "fa:8: target: position 1 is '\\['"),
    ):
        with pytest.raises(InputError, match=message):
            RNA.read(path, number)
    with pytest.raises(InputError, match="fa:2: target: the"):
        RNA.read_all(path)
    path.write_text("(...)\n(....)\n")
    with pytest.warns(RuntimeWarning, match="the first of 2 targets is taken; .*--target-number"):
        assert RNA.read(path).target == "(...)"


def test_the_number_of_a_target(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.write_text("(...)\n")
    with pytest.raises(InputError, match="target 2 is wanted, but the file has 1"):
        RNA.read(small, 2)
    for number in (0, True, "1"):
        with pytest.raises(InputError, match="target must be"):
            RNA.read(small, number)  # type: ignore[arg-type]


@given(st.text(alphabet="().ACGUN>x \n", max_size=60))
def test_reading_never_fails_otherwise(text: str) -> None:
    with contextlib.suppress(InputError):
        assert reading.targets(text, "here")


# Solutions


def test_results_name_the_model() -> None:
    result = solve(RNA(SMALL, title="small"), GNRPA(1, 30), seed=2)
    data = result.to_dict()
    assert data["solution"]["model"] == "turner2004-d2"
    assert data["problem"] == "rna"
    assert data["solved"] == result.solved == result.solution.solved
    assert "turner2004-d2" in data["instance"]


def designs() -> tuple[Design, Design]:
    """Return a design that folds into its target, and one that does not."""
    problem = RNA("((((....)))).", title="hairpin")
    return problem.design("GGGGAAAACCCCA"), problem.design("AAAAAAAAUUUUA")


def test_a_design_is_fully_reported() -> None:
    good, bad = designs()
    assert good.solved
    assert not bad.solved
    assert (good.distance, bad.distance) == (0, 4)
    assert good.unique
    assert good.gc == pytest.approx(8 / 13)
    assert good.energy == good.target_energy == pytest.approx(folded(good.sequence)[1])
    assert 0.5 < good.probability <= 1
    assert 0 < good.defect < 0.2
    assert 0 < bad.probability < 0.1
    data = good.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["structure"] == good.target


def test_probability_and_defect_by_enumeration() -> None:
    """Both equal sums over all structures of a short sequence."""
    design = designs()[0]
    compound = vienna.fold_compound(design.sequence)
    kt = (37 + 273.15) * 1.98717 / 1000
    ensemble = [(s.structure, math.exp(-s.energy / kt)) for s in compound.subopt(3000)]
    total = sum(weight for _, weight in ensemble)
    target = partners_of(design.target)
    defect = 0.0
    for structure, weight in ensemble:
        pairs = zip(partners_of(structure), target, strict=True)
        defect += sum(a != b for a, b in pairs) * weight / total / len(target)
        if structure == design.target:
            assert design.probability == pytest.approx(weight / total, rel=1e-3)
    assert design.defect == pytest.approx(defect, rel=1e-3)


def test_a_minimum_that_is_not_unique() -> None:
    sequence = "GGGAAAACCCAAAACCC"
    design = RNA("(((....)))" + "." * 7).design(sequence)
    tied = Counter(s.structure for s in vienna.fold_compound(sequence).subopt(0))
    assert design.unique == (len(tied) == 1)
    choose = random.Random(7)
    seen = set()
    for _ in range(200):
        sequence = random_sequence(choose, 24)
        found = energy.folding("turner2004-d2").unique(sequence)
        assert found == (len(vienna.fold_compound(sequence).subopt(0)) == 1)
        seen.add(found)
    assert seen == {True, False}
    assert RNA("(...)", model="turner1999-d1").design("GAAAC").unique is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sequence": "GGGGAAAACCCC"}, "has 13 positions, the sequence 12"),
        ({"sequence": "GGGGAAAACCCCX"}, "position 13 must be N"),
        ({"constraint": "N" * 12 + "U"}, "position 13 must be U, not 'A'"),
        ({"sequence": "AGGGAAAACCCCA"}, "position 12 cannot pair: A and C"),
        ({"structure": "." * 13}, "folds into"),
        ({"energy": -9.0}, "minimum free energy is"),
        ({"target_energy": -9.0}, "energy of the target is"),
    ],
)
def test_the_verifier_finds_every_lie(changes: dict[str, Any], message: str) -> None:
    good, _ = designs()
    good.verify()
    with pytest.raises(VerificationError, match=message):
        dataclasses.replace(good, **changes).verify()


def test_a_design_belongs_to_its_model() -> None:
    sequence = random_sequence(random.Random(1), 70)
    design = RNA("." * 70).design(sequence)
    design.verify()
    with pytest.raises(VerificationError):
        dataclasses.replace(design, model="turner1999-d1").verify()


def test_the_verifier_agrees_with_searches() -> None:
    for model in energy.MODELS:
        result = solve(RNA(JUNCTION, model=model), GNRPA(2, 10), seed=1)
        result.verify()
        assert isinstance(result.solution, Design)
        assert result.solution.score == result.score
        if model == "turner2004-d2":
            structure, minimum = folded(result.solution.sequence)
            assert (structure, minimum) == (result.solution.structure, result.solution.energy) or (
                structure == result.solution.structure
                and minimum == pytest.approx(result.solution.energy)
            )


def test_fasta() -> None:
    good, bad = designs()
    lines = to_fasta([good, bad]).splitlines()
    assert lines[0].startswith(">hairpin_1 solved model=turner2004-d2 energy=-")
    assert lines[1] == good.sequence
    assert lines[2].startswith(">hairpin_2 distance=4 model=turner2004-d2")
    assert good.fasta().startswith(">hairpin solved")
    long = RNA("." * 200).design("A" * 200).fasta().splitlines()
    assert max(map(len, long[1:])) <= 80
    assert "".join(long[1:]) == "A" * 200


def test_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(designs()))))
    assert [row["solved"] for row in rows] == ["True", "False"]
    assert rows[0]["sequence"] == "GGGGAAAACCCCA"
    assert rows[0]["model"] == "turner2004-d2"
    assert float(rows[0]["gc"]) == pytest.approx(8 / 13)


def test_names_that_differ_have_no_number() -> None:
    several = [RNA("(...)", title=title).design("GAAAC") for title in ("t1 short", "t3", "")]
    names = [line.split()[0] for line in to_fasta(several).splitlines() if line[0] == ">"]
    assert names == [">t1_short", ">t3", ">design"]


@pytest.mark.parametrize("title", ["", "hairpin", "a small hairpin"])
def test_tables_and_records_have_the_same_names(title: str) -> None:
    one = RNA("(...)", title=title).design("GAAAC")
    for several in ([one], [one, one, one]):
        rows = list(csv.DictReader(io.StringIO(to_csv(several))))
        records = to_fasta(several).split(">")[1:]
        for row, record in zip(rows, records, strict=True):
            assert record.startswith(f"{row['name']} ")
        assert len({row["name"] for row in rows}) == len(several)


def test_lists_of_designs_have_the_figures() -> None:
    good = designs()[0]
    *_, headline, figures = good.entry().splitlines()
    assert headline == good.headline()
    ensemble = f"probability {good.probability:.4g}, defect {good.defect:.4f}"
    assert figures == f"GC 61.5%, {ensemble}, unique structure"
    tied = RNA(".((.......))....").design("UGCGAGUUGGGCGUAC")
    assert tied.entry().endswith(", structure not unique")
    assert RNA("." * 401).design("A" * 401).entry().endswith("GC 0.0%")


def test_text_picture() -> None:
    good, bad = designs()
    assert "solved" in str(good).splitlines()[0]
    assert "wrong" not in str(good)
    text = str(bad).splitlines()
    assert next(line for line in text if line.startswith("wrong")) == "wrong    ^^^^    ^^^^"
    assert "turner2004-d2" in str(good)
    long = RNA("." * 150).design("A" * 150)
    assert f"target   {'.' * 150}\n" in str(long)
    long = RNA(f"(...){'.' * 145}").design(f"CAAAG{'A' * 145}")
    assert max(map(len, str(long).splitlines())) <= 80
    assert "(d2)" not in f"{good}{good.entry()}"
    d1 = RNA("(...)", model="turner1999-d1").design("GAAAC")
    assert (str(d1).count("(d2)"), d1.entry().count("(d2)")) == (2, 1)


@pytest.mark.parametrize("target", ["((((....)))).", JUNCTION, "." * 7, "(...)", "."])
def test_picture(target: str, tmp_path: Path) -> None:
    problem = RNA(target)
    state = problem.initial()
    moves = []
    while legal := problem.moves(state):
        moves.append(legal[0])
        state = problem.play(state, legal[0])
    design = problem.solution(moves)
    picture = design.picture()
    circles = [s for s in picture.shapes if isinstance(s, Circle)]
    assert len(circles) == len(target)
    wrong = sum(
        a != b for a, b in zip(partners_of(design.structure), partners_of(target), strict=True)
    )
    assert sum(circle.edge == "#C1121F" for circle in circles) == wrong
    letters = [s.text for s in picture.shapes if isinstance(s, Text)]
    assert Counter(design.sequence) <= Counter(letters)
    bonds = [s for s in picture.shapes if isinstance(s, Line)]
    assert len(bonds) == len(target) - 1 + target.count("(")
    x0, y0, x1, y1 = picture.bounds
    assert all(x0 < c.x < x1 and y0 < c.y < y1 for c in circles)
    apart = [math.hypot(a.x - b.x, a.y - b.y) for a in circles for b in circles if a is not b]
    assert min(apart, default=1) > 0.2
    design.plot(tmp_path / "design.svg")
    assert (tmp_path / "design.svg").stat().st_size > 1000


def test_drawing_leaves_viennas_settings_alone() -> None:
    before = vienna.cvar.rna_plot_type
    designs()[0].picture()
    assert vienna.cvar.rna_plot_type == before


# Benchmark


def eterna(data_dir: Path) -> list[dict[str, str]]:
    path = data_dir / "rna" / "eterna100_puzzles.tsv"
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.long
def test_published_solutions_fold_into_their_targets(data_dir: Path) -> None:
    """Sample solutions of Eterna100-V2 for ViennaRNA 2: 99 of them, all solve their target."""
    solved = 0
    for row in eterna(data_dir):
        sequence = row["Sample Solution (V2/Vienna2)"]
        if set(sequence) <= set("ACGU"):
            design = RNA(row["Secondary Structure V2"]).design(sequence)
            design.verify()
            assert design.score == 1.0
            solved += 1
    assert solved == 99


def test_moves_of_published_solutions(data_dir: Path) -> None:
    """Solutions also pass through the core."""

    for row in eterna(data_dir)[:40]:
        sequence, target = row["Sample Solution (V2/Vienna2)"], row["Secondary Structure V2"]
        problem = RNA(target, order="target")
        moves = learn.moves_of(target, sequence)
        assert problem.solution(moves).sequence == sequence
        assert problem.core().replay(moves)

"""What designers wish for besides the structure: G and C, motifs to avoid, several designs."""

from __future__ import annotations

import csv
import dataclasses
import json
import random
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import Counterexamples, InputError, _core, solve, solve_many
from nestor.files import whole
from nestor.problems import RNA
from nestor.problems.rna import energy
from nestor.problems.rna.solution import Design, to_csv
from nestor.problems.rna.structure import PAIR_MOVES, partners_of
from nestor.problems.rna.wishes import gc_counts, missed, short
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.session import Limits
from support.searching import begin_as, whole_and_interrupted

pytest.importorskip("RNA")

TARGET = "((((((.((((....)))).((((....)))).))))))....((((...))))"


def test_wishes_are_counted() -> None:
    assert missed("GGGGAC", None, ["GGG", "AC"]) == 3
    assert missed("GGGGAC", (2, 3), []) == 2
    assert missed("AUAU", (1, 3), []) == 1
    assert gc_counts((0.35, 0.35), 20) == (7, 7)
    assert gc_counts((0.4, 0.6), 54) == (22, 32)
    assert gc_counts(None, 9) is None
    assert short(0.25, 0.5, 0.25, 0.5) == short(0.0, 1.0, None, None) == 0.0
    assert short(0.25, 0.5, 0.5, None) == short(0.25, 0.5, None, 0.0) == 0.625
    assert short(float("nan"), float("nan"), 0.5, 0.5) == 1.0


@pytest.mark.parametrize("algorithm", [Counterexamples(), nestor.GNRPA(2, 20)])
def test_a_design_has_what_is_wished_for(algorithm: nestor.Algorithm) -> None:
    problem = RNA("((((....))))", gc=(0.4, 0.5), avoid=["GAAA", "CCC"])
    design = solve(problem, algorithm, playouts=2000, seed=1).solution
    assert isinstance(design, Design)
    assert design.solved
    assert design.score == 1.0
    assert 0.4 <= design.gc <= 0.5
    assert "GAAA" not in design.sequence
    design.verify()


def test_what_is_missed_costs_score_and_is_said() -> None:
    problem = RNA("((((....))))", gc=(0.0, 0.25), avoid=["GAAA"])
    design = problem.design("GGGCGAAAGCCC")
    assert design.missed == 9 - 3 + 1
    assert not design.solved
    assert design.score == 1.0 - 7 / 12
    assert "folds right, wishes missed (GC content, GAAA), " in design.headline()
    text = str(design).splitlines()
    assert "GC content            75.0%, wished for: 0% to 25%" in text
    assert text[-1] == "motifs to avoid       found: GAAA (1)"
    avoid = ["AA", "AC", "CA", "A" * 20, "GGC"]
    design = RNA("." * 40, avoid=avoid).design("AC" * 5 + "A" * 30)
    assert ", wishes missed (AA, AC, CA, ...)" in design.headline()
    assert max(map(len, str(design).splitlines())) <= 80
    design = RNA("." * 40, avoid=["A" * 20]).design("C" * 20 + "A" * 20)
    assert ", wish missed (AAAAAAAAAA...)" in design.headline()


def test_a_design_from_elsewhere_that_breaks_the_constraint_is_not_solved() -> None:
    problem = RNA("((((((....))))))", sequence="GR" + "N" * 14)
    design = problem.design("CCCCGCGAAAGCGGGG")
    assert (design.distance, design.solved, design.misses) == (0, False, ("constraint",))
    assert (design.missed, design.score) == (2, 1 - 2 / 16)
    assert "folds right, wish missed (constraint), " in design.headline()
    assert str(design).endswith(
        "\nconstraint            position 1 is C, not G; position 2 is C, not R"
    )
    assert design.fasta().startswith(">design misses=constraint model=")
    assert ",False,constraint," in to_csv([design])
    wrong = problem.design("A" * 16)
    assert wrong.fasta().startswith(">design distance=6 misses=constraint model=")
    many = RNA("....", sequence="CCCC").design("AAAA")
    assert str(many).endswith("is A, not C; 1 more")


def test_a_target_whose_bases_cannot_pair_has_no_probability() -> None:
    design = RNA("(((...)))").design("AGCAAAACA")
    assert design.probability == 0
    assert " above; 2 pairs cannot form\ntarget's probability  0\n" in str(design)
    assert "cannot form" not in str(RNA("(((...)))").design("GGCAAAGCC"))


def test_the_wishes_are_a_part_of_the_instance() -> None:
    problem = RNA(TARGET, gc=[0.4, 0.6], avoid=["gggt"])
    assert problem.to_dict()["avoid"] == ["GGGU"]
    assert RNA(TARGET, avoid="GSY").avoid == ("GCC", "GCU", "GGC", "GGU")
    again = RNA.from_dict(json.loads(json.dumps(problem.to_dict())))
    assert again == problem
    assert again.gc == (0.4, 0.6)
    assert RNA(TARGET, avoid=()).digest == RNA(TARGET).digest != problem.digest
    assert "gc" not in RNA(TARGET).to_dict()


@pytest.mark.parametrize("model", energy.MODELS)
def test_the_target_becomes_more_likely(model: str) -> None:
    plain = solve(RNA(TARGET, model=model), playouts=300, target=1.0, seed=1).solution
    assert isinstance(plain, Design)
    assert plain.solved
    assert plain.probability < 0.4
    likely = RNA(TARGET, model=model, min_probability=0.5, max_defect=0.1, gc=(0.3, 0.7))
    result = solve(likely, playouts=1000, target=1.0, seed=1)
    design = result.solution
    assert isinstance(design, Design)
    assert design.solved
    assert result.score == design.score == 1.0
    assert design.probability >= 0.5
    assert design.defect <= 0.1
    again = likely.design(plain.sequence)
    assert 1 - 1 / len(TARGET) < again.score < 1.0
    assert f"probability {again.probability:.4g}" in again.headline()


def test_a_likely_target_is_found_by_nested_search_too() -> None:
    problem = RNA("((((....))))", min_probability=0.9)
    design = solve(problem, nestor.GNRPA(2, 30), target=1.0, seed=1).solution
    assert isinstance(design, Design)
    assert design.probability >= 0.9


def test_improving_stops_and_goes_on_anywhere() -> None:
    asked = Setup(RNA(TARGET, min_probability=1.0), Counterexamples(patience=5), 7)
    whole, other = whole_and_interrupted(asked, (3, 20, 60))
    assert (other.moves, other.score) == (whole.moves, whole.score)
    assert other.counts["restarts"] == whole.counts["restarts"] > 0


@pytest.mark.parametrize("model", energy.MODELS)
def test_a_likely_target_without_the_c_library(model: str) -> None:
    """If its functions are out of reach, ensembles come from the Python API."""
    folding, calls = energy.folding(model), list[str]()

    class Counting(energy.Folding):
        def ensemble(self, sequence: str, target: str) -> tuple[float, float]:
            calls.append(sequence)
            return super().ensemble(sequence, target)

    class ByPython(Counting):
        extension = None

    fields = {field.name: getattr(folding, field.name) for field in dataclasses.fields(folding)}
    wishes: list[dict[str, Any]] = [{"min_probability": 0.9}, {"max_defect": 0.01}]
    for wish in wishes:
        problem, found = RNA(TARGET, model=model, **wish).with_bias("nemo"), []
        for using in (Counting(**fields), ByPython(**fields)):
            calls.clear()
            core = _core.Problem("rna", problem.core_settings() | {"folding": using})
            search = begin_as(core, Counterexamples().core())
            search.advance(Limits(60.0, 1, 60))
            found.append((search.score, search.moves))
            # One call is a probe of the C library.
            assert len(calls) > 9 if using.extension is None else len(calls) == 1
        assert found[0] == found[1]
        assert found[0][0] == problem.solution(found[0][1]).score > 1 - 1 / len(TARGET)


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"gc": 0.5}, "gc must be"),
        ({"gc": 0.5}, r"a pair of shares .*, not 0.5; did you mean \(0.5, 0.5\), that is 50 %\?"),
        ({"gc": (45, 55)}, r"did you mean \(0.45, 0.55\), that is 45 to 55 %\?"),
        ({"gc": (0.5,)}, "gc must be a pair of shares"),
        ({"gc": (0.1, 0.2, 0.3)}, r"gc must be a pair of shares .*, not \(0.1, 0.2, 0.3\)$"),
        ({"gc": (0.6, 0.4)}, "begin with the smaller"),
        ({"gc": (-0.1, 0.4)}, "gc must be"),
        ({"gc": (0.1, float("nan"))}, "gc must be"),
        ({"gc": "0.4-0.6"}, r"gc must be a pair .* did you mean \(0.4, 0.6\)"),
        ({"gc": "1.2.3"}, "not '1.2.3'$"),
        ({"min_probability": 1.5}, "min_probability must be 0 to 1"),
        ({"min_probability": float("nan")}, "min_probability must be"),
        ({"max_defect": -0.1}, "max_defect must be 0 to 1"),
        ({"max_defect": "low"}, "max_defect must be"),
        ({"avoid": ["GGXG"]}, "avoid must be motifs"),
        ({"avoid": [""]}, "avoid must be motifs"),
        ({"avoid": [7]}, "avoid must be motifs"),
        ({"avoid": 7}, "avoid must be"),
        ({"avoid": ["A" * 101]}, "avoid must be motifs"),
        ({"avoid": ["A", "NNNN"]}, "avoid must be at most 100 motifs, written out .*, not 257"),
    ],
)
def test_wrong_wishes_are_named(wishes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RNA(TARGET, **wishes)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"sequence": "A" * 4 + "GGGG" + "U" * 4, "gc": (0.5, 1.0)}, "nearest .* is 0.333"),
        ({"gc": (0.51, 0.52)}, "nearest that is possible is 0.500 or 0.583"),
        ({"sequence": "R" + "N" * 10 + "R"}, "sequence: R at position 1 and R at position 12"),
        ({"sequence": "S" * 4 + "N" * 4 + "S" * 4, "gc": (0.0, 0.6)}, "no sequence for this"),
        (
            {"sequence": "N" * 4 + "GAAA" + "N" * 4, "avoid": ["GAAA"]},
            "GAAA is forced at positions 5 to 8",
        ),
        (
            {"sequence": "NNAAN" + "N" * 7, "avoid": ["C", "UU"]},
            "UU is forced at positions 9 to 10",
        ),
        ({"sequence": "N" * 4 + "GRRA" + "N" * 4, "avoid": ["GA", "GG"]}, "at positions 5 to 6"),
        ({"avoid": ["A", "G"]}, "has one of A, G at positions 4 to 9"),
        ({"avoid": ["G", "U"]}, "has one of G, U at positions 4 to 9"),
        ({"avoid": [a + b for a in "ACGU" for b in "ACGU"]}, "UU at positions 5 to 6"),
    ],
)
def test_the_impossible_is_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RNA("((((....))))", **more)


def sequences_of(partners: Any) -> Iterator[str]:
    """Yield every sequence whose bases can pair as these do."""
    places = [i for i, j in enumerate(partners) if j is None or i < j]
    for moves in product(*("ACGU" if partners[i] is None else PAIR_MOVES for i in places)):
        bases = [""] * len(partners)
        for i, move in zip(places, moves, strict=True):
            bases[i] = move[0]
            if partners[i] is not None:
                bases[partners[i]] = move[1]
        yield "".join(bases)


@pytest.mark.parametrize(
    ("shares", "message"),
    [((0, 1), "avoid: every sequence"), ((0.3, 0.45), "without"), ((0.6, 0.8), "without")],
)
def test_motifs_are_refused_if_no_sequence_avoids_them(
    shares: tuple[float, float], message: str
) -> None:
    """Also together with a share of G and C: exactly when there is no such sequence."""
    choose, forced = random.Random(1), 0
    for _ in range(12):
        target = choose.choice(["(...)", "((...)).", "(...)..", ".((...))"])
        avoid = ["".join(choose.choices("ACGU", k=choose.choice([1, 2, 2, 3]))) for _ in range(6)]
        partners, counts = partners_of(target), gc_counts(shares, len(target))
        sequences = list(sequences_of(partners))
        if any(missed(sequence, counts, avoid) == 0 for sequence in sequences):
            RNA(target, avoid=avoid, gc=shares)
        elif shares == (0, 1) or any(missed(sequence, None, avoid) == 0 for sequence in sequences):
            forced += 1
            with pytest.raises(InputError, match=message):
                RNA(target, avoid=avoid, gc=shares)
    assert 1 < forced < 11


def test_many_long_motifs_are_checked_soon() -> None:
    choose = random.Random(1)
    avoid = ["".join(choose.choices("ACGU", k=100)) for _ in range(100)]
    RNA("((((....))))" * 10, avoid=avoid)
    with pytest.raises(InputError, match="avoid: A is forced at position 5 by the fixed"):
        RNA("((((....))))" * 10, avoid=[*avoid[:99], "A"], sequence="NNNNA" + "N" * 115)


def test_several_designs_differ() -> None:
    problem = RNA(TARGET, gc=(0.4, 0.6))
    many = solve_many(problem, Counterexamples(), distinct=5, min_distance=10, playouts=500, seed=1)
    assert (len(many), many.stop_reason) == (5, "found")
    distances = [problem.distance(a, b) for a, b in combinations(many.solutions, 2)]
    assert min(distances) >= 10
    assert min(filter(None, many.nearest)) == min(distances)
    assert all(design.solved and 0.4 <= design.gc <= 0.6 for design in many.solutions)
    again = solve_many(
        problem, Counterexamples(), distinct=5, min_distance=10, playouts=500, seed=1
    )
    assert again.solutions == many.solutions
    assert "5 of 5 found" in str(many)
    assert many[:2] == many.results[:2]


def test_what_cannot_be_found_ends_with_its_budget() -> None:
    many = solve_many(RNA("(...)"), Counterexamples(), distinct=2, playouts=20)
    assert (len(many), many.stop_reason, many.playouts) == (0, "playouts", 20)
    assert many.nearest == ()
    assert many.other is not None
    assert many.other.score < 1
    best = many.other.solution.entry().splitlines()
    assert str(many).splitlines()[:3] == [
        "The best of the others:",
        *(f"     {e}" for e in best[:2]),
    ]


def test_accept_leaves_designs_out() -> None:
    many = solve_many(
        RNA(TARGET),
        Counterexamples(),
        distinct=1,
        playouts=500,
        accept=lambda design: design.probability > 0.6,
    )
    assert many.solutions[0].probability > 0.6
    assert many.refused == many.searches - 1


def test_what_is_turned_down_is_counted() -> None:
    problem = RNA("((((....))))")
    run: dict[str, Any] = {"distinct": 3, "playouts": 40}
    many = solve_many(problem, Counterexamples(), accept=lambda _: False, **run)
    assert (len(many), many.other) == (0, None)
    assert many.refused == many.searches > 0
    assert str(many).endswith(f"(playouts), turned down: {many.refused} by accept")
    many = solve_many(problem, Counterexamples(), min_distance=12, **run)
    assert (many.refused, many.near) == (0, many.searches - len(many))
    assert f", turned down: {many.near} too near" in str(many)
    assert many.to_dict()["near"] == many.near > 0


@pytest.mark.parametrize(
    ("sequence", "distance", "most"),
    [
        ("", 12, 4),
        ("", 11, 16),
        ("NNNNNNRNNNNN", 12, 2),
        ("NNNNNNRANNNN", 10, 8),
        ("GGGGNNNNCCCC", 1, 256),
        ("GGGGNNNNCCCC", 2.5, 16),
    ],
)
def test_more_designs_than_can_be_so_far_apart_are_refused(
    sequence: str, distance: float, most: int
) -> None:
    problem = RNA("((((....))))", sequence=sequence)
    assert problem.most_apart(distance) == most
    with pytest.raises(
        InputError, match=rf"distinct must be at most {most} for .*, not {most + 1}"
    ):
        solve_many(problem, distinct=most + 1, min_distance=distance, playouts=9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"distinct": 0, "playouts": 5}, "distinct"),
        ({"distinct": 1, "min_distance": 0, "playouts": 5}, "min_distance"),
        ({"distinct": 2, "min_distance": 55, "playouts": 5}, "min_distance must be at most 54"),
        ({"distinct": 1}, "need a limit"),
        ({"distinct": 1, "playouts": 0}, "playouts"),
        ({"distinct": 1, "seconds": -1}, "seconds"),
        ({"distinct": 1, "playouts": 5, "seed": -1}, "seed"),
        ({"distinct": 1, "playouts": 5, "accept": 3}, "accept must be callable"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve_many(RNA(TARGET), **arguments)


@pytest.mark.parametrize(
    ("sequence", "message"),
    [
        ("GGGGAAANCCCC", "min_distance must be at most 1 "),
        ("GGGYAAAARCCC", "min_distance must be at most 2 "),
        ("GGGGAAAACCCC", "distinct must be 1 .* one solution at most"),
    ],
)
def test_given_bases_limit_the_distance(sequence: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve_many(RNA("((((....))))", sequence=sequence), distinct=2, min_distance=3, playouts=9)


def test_few_possible_sequences_are_all_found() -> None:
    """Some of them have bases that the search by counterexamples hardly ever draws."""
    problem = RNA("((((((....))))))", sequence="GGGGGGNNAACCCCCC")
    assert problem.most == 16
    many = solve_many(problem, nestor.Auto(), distinct=16, playouts=500, seed=1)
    assert len({design.sequence for design in many.solutions}) == 16
    assert {result.algorithm.name for result in many} == {"counterexamples", "nrpa"}
    again = solve_many(problem, distinct=16, playouts=500, seed=1)  # The default is Auto.
    assert (again.solutions, again.playouts) == (many.solutions, many.playouts)
    asked = solve_many(problem, Counterexamples(), distinct=16, playouts=100, seed=1)
    assert {result.algorithm.name for result in asked} == {"counterexamples"}
    with pytest.raises(InputError, match=r"distinct must be at most 16 for .*, not 17: no more"):
        solve_many(problem, distinct=17, playouts=500)
    assert RNA("((((....))))", sequence="GGGYAAAARCCN").most == 3 * 2
    wide = solve_many(problem, distinct=9, playouts=900, seed=1, jobs=3)
    assert (len(wide), wide[0].jobs) == (9, 3)


def test_the_command_writes_several_designs(run: Any, tmp_path: Path) -> None:
    table, fasta = tmp_path / "out.csv", tmp_path / "out.fa"
    options = (
        f"--designs 3 --min-distance 5 --gc 0.4-0.6 --avoid GGGG --csv {table} --fasta {fasta}"
    )
    options += " --algorithm counterexamples --playouts 300 --min-probability 0.1 --quiet"
    assert run("solve", "rna", TARGET, *options.split()).code == 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["solved"] for row in rows] == ["True"] * 3
    assert all(int(row["nearest"]) >= 5 and float(row["probability"]) >= 0.1 for row in rows)
    names = [line.split()[0] for line in fasta.read_text().splitlines() if line[0] == ">"]
    assert names == [">design_1", ">design_2", ">design_3"]
    few = run("solve", "rna", TARGET, "--designs", "99", "--playouts", "50", "--seed", "1")
    assert (few.code, "of 99 were found" in few.err) == (1, True)
    assert set(few.out.split()[1]) <= set("ACGU")
    none = run("solve", "rna", "(...)", "--designs", "2", "--playouts", "9")
    assert "only 0 of 2 were found; the best of the others: 1 pair apart, " in none.err
    assert none.out.startswith("The best of the others:\n     ")
    avoid = ("--avoid", "A,C,GG", "--playouts", "9", "--csv", str(table), "--json")
    none = run("solve", "rna", "(((....)))", "--designs", "2", *avoid)
    found = json.loads(none.out)
    assert (none.code, found["results"], len(table.read_text().splitlines())) == (1, [], 1)
    assert len(found["other"]["solution"]["sequence"]) == 10
    assert "the best of the others: " in none.err
    assert run("solve", "rna", ".", "--playouts", "9").code == 0
    several = ("solve", "rna", TARGET, "--designs", "2", "--playouts", "9")
    wrong = run(*several, "--save", "x.json", "--jobs", "2", "--first-solved", "--log", "x.jsonl")
    assert (wrong.code, Path("x.json").exists()) == (2, False)
    assert "--log, --first-solved and --save cannot be combined with --designs" in wrong.err
    wrong = run(*several, "--plot", "x.svg", "--json", "--quiet")
    assert (wrong.code, "--plot cannot be combined with --designs" in wrong.err) == (2, True)
    wrong = run("solve", "rna", TARGET, "--min-distance", "2", "--playouts", "9")
    assert (wrong.code, "--min-distance requires --designs" in wrong.err) == (2, True)


@pytest.mark.parametrize(("letters", "told"), [("GGGAAACCC", True), ("GGGNAACCC", False)])
def test_a_note_says_that_every_base_is_given(
    run: Any, tmp_path: Path, letters: str, told: bool
) -> None:
    path = tmp_path / "folded.txt"
    path.write_text(f">folded by RNAfold\n{letters}\n(((...))) ( -1.20)\n")
    code, out, err = run("solve", "rna", str(path), "--playouts", "9", "--quiet", "--json")
    assert (code, json.loads(out)["problem"]) == (0, "rna")
    assert err.startswith("Note: the input is already complete") == told


def test_a_note_says_which_temperature_is_meant(run: Any) -> None:
    code, _, err = run("solve", "rna", "(...)", "--temperature", "2", "--playouts", "9", "--quiet")
    assert (code, err.splitlines()) == (
        0,
        [
            "Note: --temperature is that of the policy of the search; RNA is folded at 37 degrees "
            "Celsius"
        ],
    )
    assert run("solve", "rna", "(...)", "--playouts", "9", "--quiet").err == ""


@pytest.mark.parametrize(
    ("share", "meant"),
    [
        ("50", "0.5-0.5, that is 50 %"),
        ("0.5", "0.5-0.5, that is 50 %"),
        ("40-60", "0.4-0.6, that is 40 to 60 %"),
        ("45%-55%", "0.45-0.55, that is 45 to 55 %"),
    ],
)
def test_errors_say_which_share_may_be_meant(run: Any, share: str, meant: str) -> None:
    wrong = run("solve", "rna", "(...)", "--gc", share, "--playouts", "9")
    assert (wrong.code, f"'{share}' is not a range" in wrong.err) == (2, True)
    assert f"; did you mean {meant}?" in wrong.err
    assert "did you" not in run("solve", "rna", "(...)", "--gc", "much", "--playouts", "9").err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--designs 2", "--seconds or --playouts must be given"),
        ("--designs 0 --playouts 9", "--designs must be 1 to"),
        ("--designs 2 --playouts 9 --min-distance 13", "--min-distance must be at most 12"),
        ("--designs 2 --playouts 9 --sequence GGGGAAAACCCC", "--designs must be 1 for target"),
        ("--designs 2 --playouts 0", "--playouts must be 1 to"),
    ],
)
def test_errors_of_the_command_name_its_options(run: Any, options: str, message: str) -> None:
    wrong = run("solve", "rna", "((((....))))", *options.split())
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.startswith(f"Error: {message}")


def test_a_file_without_room_costs_no_design(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> Any:
        if path.suffix == ".fa":
            raise InputError(f"cannot write {path}: No space left on device")
        return whole(path)

    monkeypatch.setattr("nestor.files.whole", full)
    table, fasta = tmp_path / "out.csv", tmp_path / "out.fa"
    options = f"--designs 3 --playouts 300 --quiet --fasta {fasta} --csv {table}"
    code, out, err = run("solve", "rna", TARGET, *options.split())
    assert (code, err) == (2, f"Error: cannot write {fasta}: No space left on device\n")
    sequences = [row["sequence"] for row in csv.DictReader(table.read_text().splitlines())]
    assert len(sequences) == 3
    assert all(sequence in out for sequence in sequences)


@pytest.mark.parametrize(("target", "found"), [(TARGET, 3), ("(...)", 0)])
def test_ctrl_c_while_a_design_is_decoded_costs_no_design(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, found: int
) -> None:
    """It ends the searches, and the design that it held up is decoded after all."""
    design, count = RNA.design, 0

    def interrupted(problem: RNA, sequence: str) -> Design:
        nonlocal count
        count += 1
        if count == max(1, found):
            raise KeyboardInterrupt
        return design(problem, sequence)

    monkeypatch.setattr(RNA, "design", interrupted)
    table, fasta = tmp_path / "out.csv", tmp_path / "out.fa"
    options = f"--designs 9 --playouts 300 --quiet --fasta {fasta} --csv {table}"
    code, out, err = run("solve", "rna", target, *options.split())
    assert (code, f"only {found} of 9 were found" in err) == (130, True)
    assert f"{found} of 9 found" in out
    assert "moves:" not in err
    assert len(table.read_text().splitlines()) == 1 + found
    assert fasta.read_text().count(">") == found


def test_motifs_may_be_given_one_by_one(run: Any) -> None:
    wrong = run("solve", "rna", "(...)", "--avoid", "G", "--avoid", "C,A", "--playouts", "9")
    assert (wrong.code, "one of G, C, A" in wrong.err) == (2, True)

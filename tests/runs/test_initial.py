"""A search that begins with a sequence that one already has."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

import nestor
from nestor import (
    NMCS,
    NRPA,
    Algorithm,
    BeamNRPA,
    InputError,
    LocalSearch,
    Sampling,
    research,
    solve,
)
from nestor.problems import RNA, TSPTW, LatinSquare, Morpion, SameGame
from nestor.problems.rna import ORDERS as RNA_ORDERS
from nestor.problems.rna import Design
from support.instances import SMALL_BOARD, line, small_tsptw
from support.own import Subset

GAME = SameGame(SMALL_BOARD)
GOOD = solve(GAME, NRPA(2, 30), seed=1)
TOURS = small_tsptw()
TOUR = solve(TOURS, NRPA(2, 20), seed=1)
OWN = solve(Subset(), NRPA(2, 20), seed=1)
EVERY = [NRPA(2, 10), NRPA(2, 10, width=4), BeamNRPA(2, 5), NMCS(1), Sampling()]


@pytest.mark.parametrize("algorithm", EVERY, ids=Algorithm.describe)
@pytest.mark.parametrize("found", [GOOD, TOUR, OWN], ids=["samegame", "tsptw", "own"])
def test_it_is_the_first_playout_and_never_lost(algorithm: Algorithm, found: Any) -> None:
    for initial in (found, found.moves, tuple(found.moves), found.solution):
        result = solve(found.problem, algorithm, initial=initial, playouts=60, jobs=2)
        first = result.improvements[0]
        assert (first.playouts, first.score) == (1, found.score)
        assert result.score == found.score or (result.score < found.score) == (found is TOUR)
        assert result.playouts == 60
        assert result.options["initial"]["strength"] == 1
    only = solve(found.problem, algorithm, initial=found, playouts=1)
    assert (only.score, only.moves) == (found.score, found.moves)


@pytest.mark.parametrize("algorithm", EVERY, ids=Algorithm.describe)
def test_games_may_have_lines_that_others_dominate(algorithm: Algorithm) -> None:
    """The rules of the search would place another line in their stead."""
    game, replaced = Morpion("5T"), 0
    for seed in range(5):
        found = solve(Morpion("5T", dominated=False), Sampling(), playouts=5, seed=seed)
        state = game.initial()
        for move in found.moves:
            replaced += move[:4] not in [listed[:4] for listed in game.moves(state)]
            state = game.play(state, move)
        for initial in (found, found.solution, [list(move[:4]) for move in found.moves]):
            result = solve(game, algorithm, initial=initial, playouts=1)
            assert result.score == found.score
            assert [move[:4] for move in result.moves] == [move[:4] for move in found.moves]
    assert replaced > 0


@pytest.mark.parametrize("dominated", [True, False])
def test_lines_may_be_coded_as_those_they_dominate(dominated: bool) -> None:
    coded = solve(Morpion("5T"), Sampling(), playouts=5, seed=1)
    assert any(move[3] != move[4] for move in coded.moves)
    result = solve(Morpion("5T", dominated=dominated), NMCS(1), initial=coded, playouts=1)
    assert [move[:4] for move in result.moves] == [move[:4] for move in coded.moves]


def test_the_policy_adapts_as_often_as_asked() -> None:
    """After a bad sequence has been learned too well, nothing better is found."""
    bad = min(
        (solve(GAME, Sampling(), playouts=1, seed=s) for s in range(20)), key=lambda r: r.score
    )
    scores = [
        solve(GAME, NRPA(2, 20), initial=bad, initial_strength=strength, playouts=15).score
        for strength in (0, 1, 300)
    ]
    assert scores[0] > bad.score
    assert scores[2] == bad.score


def test_a_target_that_it_reaches_ends_the_search() -> None:
    result = solve(GAME, NRPA(2, 20), initial=GOOD, target=GOOD.score, seconds=100, jobs=1)
    assert (result.stop_reason, result.playouts) == ("target", 1)


def test_files(tmp_path: Path) -> None:
    saved, moves, cities = (tmp_path / name for name in ("run.json", "moves.json", "tour.txt"))
    TOUR.save(saved)
    moves.write_text(json.dumps(TOUR.moves))
    cities.write_text("0 " + "\n".join(map(str, TOUR.moves)) + " 0\n")
    for path in (saved, str(moves), cities):
        assert solve(TOURS, initial=path, playouts=1).moves == TOUR.moves
    for text, message in (
        ("1 2 x", "tour.txt: initial: none of its stops is one of this problem, such as '1'"),
        ("[1, 2", "tour.txt: not a saved result"),
        ("{}", "tour.txt: not a saved result"),
        (f"{TOUR.moves[0]} 99", r"tour.txt: initial: move number 2 \(99\) is not legal"),
        ("", "tour.txt: .*: a tour of this problem has .* stops, and this one leaves out 1;"),
    ):
        cities.write_text(text)
        with pytest.raises(InputError, match=message):
            solve(TOURS, initial=cities, playouts=1)
    with pytest.raises(InputError, match=r"no such file|cannot be read"):
        solve(TOURS, initial=tmp_path / "none", playouts=1)


@pytest.mark.parametrize("order", RNA_ORDERS)
def test_a_sequence_of_bases(tmp_path: Path, order: str) -> None:
    pytest.importorskip("RNA")
    problem, bases = RNA("((...))(...).", order=order, sequence="N" * 12 + "A"), "GCAAAGCUAAAGA"
    path = tmp_path / "mine.fa"
    design = problem.design(bases)
    assert isinstance(design, Design)
    lines = f"\n {bases[:5].lower()}\r\n\r\n{bases[5:]}\n"
    for text in (design.fasta(), bases, lines, " \n" * 100 + lines, None):
        path.write_text((text or bases).replace("U", "T"))
        initial = design if text is None else path
        assert solve(problem, Sampling(), initial=initial, playouts=1).solution == design
    assert solve(problem, Sampling(), initial=bases.lower(), playouts=1).solution == design
    with pytest.raises(InputError, match=r"^GC:1: the sequence must have 13 bases"):
        solve(problem, initial="GC")
    with pytest.raises(InputError, match=r"^GCNA: neither a file nor a sequence: position 3 "):
        solve(problem, initial="GCNA")
    with pytest.raises(InputError, match="initial must be a sequence or a file, not empty"):
        solve(problem, initial="")
    for text, message in (
        (f">a\n{bases}\n>b\n{bases}", ":3: here a second sequence begins"),
        (">a\n", ": there is no sequence"),
        ("", ": there is no sequence"),
        ("\n" * 100, ": there is no sequence"),
        ("null", ": not a saved result"),
        ("\nNaN\n", ": not a saved result"),
        (f">a\n{bases[:5]}\n{bases[5:-1]}", ":2: the sequence must have 13 bases, .* not 12"),
        (f">a\n{bases[:5]}\nGNUAAAGA", ":3: 'N' is not a base"),
        (f"{bases[:7]}\nAAAAGA", ":2: positions 8 and 12 must be one of CG, .*, not AG"),
        (f"{bases[:-1]}\nG", ":2: position 13 must be one of A, not G"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=f"^{re.escape(str(path))}{message}"):
            solve(problem, initial=path, playouts=1)


def test_a_sequence_is_no_run_that_was_resumed(recwarn: pytest.WarningsRecorder) -> None:
    assert solve(TOURS, initial=TOUR, playouts=1).playouts == 1
    assert not recwarn


def test_a_checkpoint_has_it(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    given: dict[str, Any] = {"initial": GOOD, "jobs": 2, "seed": 4}
    whole = solve(GAME, NRPA(2, 10), playouts=300, **given)
    solve(GAME, NRPA(2, 10), playouts=2, checkpoint=path, **given)
    copied = copy(path, tmp_path / "again.ckpt")
    for again in (
        solve(GAME, NRPA(2, 10), playouts=300, checkpoint=path, **given),
        nestor.resume(copied, playouts=300),
    ):
        assert (again.moves, again.playouts) == (whole.moves, whole.playouts)
        assert again.options == whole.options
    with pytest.raises(InputError, match="differs in initial"):
        solve(GAME, NRPA(2, 10), playouts=400, checkpoint=path, jobs=2, seed=4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"initial": 3}, "initial must be"),
        ({"initial": GOOD.moves[:-1]}, "initial: the game is not over"),
        ({"initial": [*GOOD.moves, GOOD.moves[0]]}, "is not legal"),
        ({"initial": [[99, 99]]}, "is not legal|not moves of samegame"),
        ({"initial": TOUR}, "not legal|not moves of samegame"),
        ({"initial": GOOD, "initial_strength": -1}, "initial_strength must be"),
        (
            {"initial": GOOD, "initial_strength": 2, "algorithm": NMCS(1)},
            "initial_strength has no effect on nmcs: it has no policy",
        ),
        ({"initial_strength": 2}, "initial_strength needs a sequence"),
    ],
)
def test_wrong_sequences_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve(GAME, **{"playouts": 10, **given})


def test_what_is_refused_says_why() -> None:
    square = LatinSquare([[1, 0], [0, 0]])
    with pytest.raises(InputError, match="a Square does not tell its moves"):
        solve(square, initial=solve(square, playouts=10).solution, playouts=10)


def test_a_sequence_may_have_moves_that_the_settings_leave_out() -> None:
    late = line((1, (0, 2)))
    assert late.moves(late.initial()) == [1]
    begun = solve(late, initial=[4, 3, 2, 1], playouts=1)
    assert (begun.score > 1e6, begun.moves) == (True, [4, 3, 2, 1])
    with pytest.raises(InputError, match=r"move number 2 \(4\) is not legal"):
        solve(late, initial=[4, 4, 2, 1], playouts=1)
    assert sum(legal for _, _, legal in late.count_codes([4, 3, 2, 1], "moves")) == 4 + 3 + 2 + 1
    assert sum(legal for _, _, legal in late.count_codes([1, 2, 3, 4], "moves")) == 1 + 3 + 2 + 1


REACH: dict[Hashable, set[int]] = {
    "north": {1, 2, 3},
    "east": {3, 4},
    "south": {4, 5, 6},
    "west": {1, 6},
    "far": set(),
}


def unserved(places: Sequence[Hashable]) -> int:
    return 6 - len(set().union(*(REACH[place] for place in places)))


class Served:
    """The same cover as a class."""

    change, sense = "cover", "min"

    def initial(self) -> tuple[str, ...]:
        return ()

    def moves(self, chosen: tuple[Hashable, ...]) -> list[Hashable]:
        lacks = unserved(chosen)
        return [place for place in REACH if unserved((*chosen, place)) < lacks]

    def play(self, chosen: tuple[Hashable, ...], place: Hashable) -> tuple[Hashable, ...]:
        return (*chosen, place)

    def score(self, chosen: tuple[Hashable, ...]) -> int:
        return len(chosen)


@pytest.mark.parametrize("problem", [nestor.Cover(REACH, unserved, len), Served()])
def test_needless_moves_of_a_cover_are_left_out(problem: Any) -> None:
    plan = ["north", "east", "south", "north", "west"]
    with pytest.warns(RuntimeWarning, match="2 of 5 moves left out, .*: 'north', 'west'$"):
        begun = solve(problem, initial=plan, playouts=1)
    assert begun.moves == ["north", "east", "south"]
    with pytest.raises(
        InputError, match=r"move number 2 \('nowhere'\) is not legal; legal there: "
    ):
        solve(problem, initial=["north", "nowhere"], playouts=1)
    with (
        pytest.raises(InputError, match="initial: the game is not over"),
        pytest.warns(RuntimeWarning, match="1 of 3 moves left out, .*: 'east'$"),
    ):
        solve(problem, initial=["north", "east", "east"], playouts=1)


def test_an_error_says_what_would_be_legal() -> None:
    problem = nestor.Order(4, sum)
    with pytest.raises(InputError, match=r"3 \(1\) is not legal; legal there: \[2, 3\]"):
        solve(problem, initial=[0, 1, 1, 2])
    with pytest.raises(InputError, match=r"5 \(0\) is not legal; the game is over there"):
        solve(problem, initial=[0, 1, 2, 3, 0])
    with pytest.raises(InputError, match=r"not over after its 3 moves; legal there: \[1\]"):
        solve(problem, initial=[0, 2, 3])


@pytest.mark.parametrize("algorithm", [None, LocalSearch()])
def test_local_search_has_no_use_for_a_strength(algorithm: Any) -> None:
    """The default of a cover is local search, too."""
    with pytest.raises(InputError, match="no effect on local_search: it has no policy"):
        solve(Served(), algorithm, initial=["north", "south"], initial_strength=5, playouts=9)


def test_what_the_default_finds_is_a_sequence_to_begin_with(tmp_path: Path) -> None:
    board = SameGame(["01201201", "12012012", "20112021", "01220110", "12001221"])
    found = solve(board, playouts=4000, seed=1)
    found.save(tmp_path / "found.json")
    for tabu in board.colours:
        other = SameGame(board.board, tabu=tabu)
        for algorithm in (None, NRPA(1, 20), NMCS(1)):
            again = solve(other, algorithm, initial=tmp_path / "found.json", playouts=50)
            assert again.score >= found.score


@pytest.mark.parametrize("found", [GOOD, TOUR, OWN], ids=["samegame", "tsptw", "own"])
def test_research_replays_moves(found: Any) -> None:
    playout = research.replay(found.problem, found.moves)
    assert (playout.natural, playout.moves) == (found.score, found.moves)
    policy = research.Policy(found.problem)
    for _ in range(20):
        research.adapt(policy, playout)
    learned = research.playout(found.problem, policy, 5, key=research.Key(1))
    assert learned.moves == found.moves
    with pytest.raises(InputError, match=r"moves: .*(is not over|leaves out)"):
        research.replay(found.problem, found.moves[:-1])
    with pytest.raises(InputError, match="moves: move number 1"):
        research.replay(Morpion("4D"), [(0, 0, 0, 0, 0)])


@pytest.mark.long
def test_a_good_tour_is_kept_and_a_random_one_does_no_harm(data_dir: Path) -> None:
    stats = pytest.importorskip("scipy.stats")
    name, folder = "rc_208.3.txt", data_dir / "tsptw"
    problem = TSPTW.read(folder / "SolomonPotvinBengio" / name)
    lines = (folder / "SolomonPotvinBengio_best_tours.tsv").read_text().splitlines()
    tours = [line.split("\t") for line in lines]
    (best,) = ([*map(int, t[3].split())] for t in tours if t[:2] == [name, "travel_cost"])
    known = research.replay(problem, best).natural
    assert known == pytest.approx(634.44, abs=0.005)
    with_it, without, from_best = [], [], []
    for seed in range(30):
        algorithm = nestor.GNRPA(3, 12, temperature=1.4)
        given: dict[str, Any] = {"playouts": 12**3, "seed": seed, "threads": 1}
        random = solve(problem, Sampling(), playouts=1, seed=seed + 1000).moves
        from_best.append(solve(problem, algorithm, initial=best, **given).score)
        with_it.append(solve(problem, algorithm, initial=random, **given).score)
        without.append(solve(problem, algorithm, **given).score)
    assert max(from_best) <= known
    worse = stats.mannwhitneyu(with_it, without, alternative="greater").pvalue
    print(f"from the best tour {max(from_best):.2f} at most; medians: from a random tour")
    print(f"{sorted(with_it)[15]:.2f}, without {sorted(without)[15]:.2f}; p of worse {worse:.2f}")
    assert worse > 0.05

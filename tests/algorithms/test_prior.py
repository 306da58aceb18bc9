"""Learning priors from solved problems, and searching with them."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nestor import (
    GNRPA,
    NRPA,
    Algorithm,
    InputError,
    Prior,
    Sampling,
    learn_prior,
    reference,
    solve,
)
from nestor.prior import WithPrior
from nestor.problem import prior_code_of
from nestor.problems import TSPTW, Kakuro, SameGame
from support.instances import SMALL_BOARD, name_of, small_tsptw
from support.own import Subset
from support.parts import crossed
from support.searching import compare, running_maxima, solved_games, with_prior


class Tupled(Subset):
    """Its moves are pairs, which are lists in JSON."""

    def moves(self, state: Any) -> list[Any]:
        start = state[-1][0] + 2 if state else 0
        return [(at, self.values[at]) for at in range(start, len(self.values))]

    def score(self, state: Any) -> float:
        return float(sum(value for _, value in state))


def counted(solved: list[tuple[Any, list[Any]]]) -> dict[Any, list[int]]:
    """Count codes as the paper says, with the Python rules."""
    count: dict[Any, list[int]] = {}
    for problem, moves in solved:
        state = problem.initial()
        for solving in moves:
            for move in problem.moves(state):
                entry = count.setdefault(prior_code_of(problem, state, move), [0, 0])
                entry[0] += tuple_or_same(move) == tuple_or_same(solving)
                entry[1] += 1
            state = problem.play(state, solving)
    return count


def tuple_or_same(move: Any) -> Any:
    return tuple(move) if isinstance(move, list | tuple) else move


@pytest.mark.parametrize("problem", [small_tsptw(), SameGame(SMALL_BOARD), Subset()], ids=str)
def test_counts_are_those_of_the_rules(problem: Any) -> None:
    solved = solved_games(problem, 10)
    prior = learn_prior(solved, name="learned")
    assert {code: list(pair) for code, pair in prior.counts.items()} == counted(solved)
    assert prior.provenance["instances"] == 10


@pytest.mark.parametrize(
    ("problem", "algorithm"),
    crossed(
        [small_tsptw(), SameGame(SMALL_BOARD)],
        [Sampling(), GNRPA(2, 8), GNRPA(2, 8, bias_learning=0.1)],
    ),
    ids=lambda each: each.describe() if isinstance(each, Algorithm) else name_of(each),
)
def test_solve_with_a_prior_equals_twin(problem: Any, algorithm: Any) -> None:
    """The table of cases has more with priors; here `solve` is given one that was learned."""
    chosen = replace(algorithm, prior=learn_prior(solved_games(problem, 3)), prior_temperature=2.0)
    betas = chosen.prior.betas(2.0)
    assert -math.inf in betas.values()
    compare(with_prior(problem, betas), chosen, 5, 8)
    _, scores = reference.whole_searches(WithPrior(problem, betas), chosen, seed=5, restarts=8)
    result = solve(problem, chosen, playouts=len(scores), seed=5)
    assert result.improvements[-1].playouts == running_maxima(scores)[-1][0]
    assert result.bias == "prior prior"


@pytest.mark.parametrize("problem", [Kakuro.generate(6, 8, 1001, pruning=False), Subset()], ids=str)
def test_a_prior_that_knows_no_move_is_told(problem: Any, recwarn: pytest.WarningsRecorder) -> None:
    prior = learn_prior(solved_games(problem, 3), name="mine")
    state = problem.initial()
    code = prior_code_of(problem, state, problem.moves(state)[0])
    for counts in (prior.counts, {code: (1, 2)}):
        solve(problem, Sampling(prior=replace(prior, counts=counts)), playouts=20, seed=1)
    assert not recwarn.list
    unknown = replace(prior, counts={code: (0, 0), 10**9: (1, 2), 10**9 + 1: (2, 2)})
    with pytest.warns(RuntimeWarning, match="none of the 2 codes of prior mine occurs in the best"):
        solve(problem, GNRPA(2, 5, prior=unknown), playouts=20, seed=1)


def test_a_prior_helps() -> None:
    """Sampling with a prior learned from good solutions beats uniform sampling."""
    problem = Subset()
    prior = learn_prior(solved_games(problem, 20))
    total = {
        with_prior: sum(
            solve(problem, Sampling(prior=prior if with_prior else None), playouts=1, seed=s).score
            for s in range(50)
        )
        for with_prior in (False, True)
    }
    assert total[True] > total[False] + 50


def test_betas() -> None:
    prior = Prior("tsptw", {1: (3, 4), 2: (0, 5), 3: (0, 0), 4: (2, 2)})
    betas = prior.betas(4.0)
    assert betas == {1: round(4 * math.log(0.75), 12), 2: -math.inf, 4: 0.0}
    assert prior.betas(1.0, smoothing=1.0)[2] == round(math.log(1 / 7), 12)
    for wrong in (0.0, -1, math.nan, math.inf):
        with pytest.raises(InputError, match="temperature must be positive"):
            prior.betas(wrong)
    assert prior.probability(1) == 0.75
    assert prior.probability(3) is None
    assert prior.probability(99) is None


def test_histogram() -> None:
    prior = Prior("tsptw", {1: (0, 9), 2: (1, 2), 3: (2, 2), 4: (49, 100), 5: (0, 0)})
    assert [codes for _, _, codes in prior.histogram(2)] == [2, 2]
    assert "4 codes" not in str(prior)
    assert str(prior).count("\n") == 20


@pytest.mark.parametrize("name", ["p.json", "p.json.gz"])
def test_priors_survive_files(tmp_path: Path, name: str) -> None:
    rng = random.Random(1)
    counts: dict[Any, tuple[int, int]] = {
        rng.getrandbits(64): (count, count + 5) for count in range(1000)
    }
    prior = Prior("samegame", counts, {"command": "none"}, "random")
    prior.save(tmp_path / name)
    again = Prior.load(tmp_path / name)
    assert again.counts == prior.counts
    assert again.digest == prior.digest
    assert (again.name, again.problem, again.provenance) == (
        "random",
        "samegame",
        {"command": "none"},
    )


def test_priors_of_user_problems_survive_files(tmp_path: Path) -> None:
    prior = Prior("m:C", {(1, "a"): (1, 2), "b": (0, 1)})
    prior.save(tmp_path / "p.json")
    assert Prior.load(tmp_path / "p.json").counts == prior.counts


@pytest.mark.parametrize("code", [b"a", frozenset({1})], ids=repr)
def test_codes_without_a_form_in_json(code: Any, tmp_path: Path) -> None:
    prior = Prior("m:C", {code: (1, 2)})
    assert prior.probability(code) == 0.5
    with pytest.raises(InputError, match="the codes of this prior have no JSON form"):
        prior.save(tmp_path / "p.json")
    with pytest.raises(InputError, match="the codes of this prior have no JSON form"):
        assert prior.digest


def test_counts_may_be_numbers_of_numpy(tmp_path: Path) -> None:
    counts: dict[Any, Any] = {code: (np.int64(code), np.uint8(9)) for code in range(3)}
    prior = Prior("m:C", counts)
    assert {type(number) for pair in prior.counts.values() for number in pair} == {int}
    prior.save(tmp_path / "p.json")
    assert Prior.load(tmp_path / "p.json").counts == prior.counts


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"\x1f\x8bxx", b"[]", b'{"schema": 7}', b"\xff\xfe"]
)
def test_files_that_are_no_priors(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"p\.json"):
        Prior.load(path)


def test_a_code_is_in_a_file_once(tmp_path: Path) -> None:
    data = Prior("latin", {7: (1, 2), 8: (1, 3)}).to_dict()
    (tmp_path / "p.json").write_text(json.dumps({**data, "codes": [7, 7]}))
    with pytest.raises(InputError, match=r"p\.json.*a code is there twice"):
        Prior.load(tmp_path / "p.json")


def test_a_prior_of_another_class_is_told_how_to_learn_one() -> None:
    class Again(Subset):
        """The same rules."""

    found = solve(Subset(), NRPA(1, 20), playouts=50, seed=1)
    with pytest.raises(
        InputError, match=r"Subset, not for .*Again.*\[\(problem, moves\), \.\.\.\]"
    ):
        solve(Again(), GNRPA(prior=learn_prior([found])), playouts=5)
    prior = learn_prior([(Again(), found.moves)])
    assert solve(Again(), GNRPA(prior=prior, smoothing=1.0), playouts=5, seed=1).playouts == 5


def test_wrong_input(tmp_path: Path) -> None:
    tour, game = small_tsptw(), SameGame(SMALL_BOARD)
    with pytest.raises(InputError, match="at least one"):
        learn_prior([])
    with pytest.raises(InputError, match="one problem family, not samegame, tsptw"):
        learn_prior(solved_games(tour, 1) + solved_games(game, 1))
    with pytest.raises(InputError, match=r"solution 0: move number 2 \(99\) is not legal"):
        learn_prior([(tour, [tour.moves(tour.initial())[0], 99])])
    with pytest.raises(InputError, match="number 0 is 5"):
        learn_prior([5])
    with pytest.raises(InputError, match="is for samegame, not for tsptw"):
        solve(tour, GNRPA(prior=learn_prior(solved_games(game, 1))), playouts=5)
    with pytest.raises(InputError, match="no prior file"):
        solve(tour, GNRPA(prior=str(tmp_path / "missing")), playouts=5)
    with pytest.raises(InputError, match="not both"):
        GNRPA(bias="distance", prior="x")
    with pytest.raises(InputError, match="0 <= count <= nb"):
        Prior("tsptw", {1: (3, 2)})
    with pytest.raises(InputError, match="code an int has a tuple"):
        Prior("tsptw", {10**5000: (0, 10**5000)})


def test_results_with_priors_survive_json(tmp_path: Path) -> None:
    problem = TSPTW([[0, 1, 2], [1, 0, 1], [2, 1, 0]], [(0, 9)] * 3)
    prior = learn_prior(solved_games(problem, 2), name="tiny")
    result = solve(problem, GNRPA(1, 5, prior=prior), playouts=5)
    result.save(tmp_path / "run.json")
    assert type(result).load(tmp_path / "run.json").algorithm.bias_settings.prior == "tiny"


@pytest.mark.parametrize("problem", [SameGame(SMALL_BOARD), Tupled()], ids=name_of)
def test_saved_results_teach_as_well(problem: Any, tmp_path: Path) -> None:
    result = solve(problem, NRPA(1, 30), seed=1)
    result.save(tmp_path / "run.json")
    loaded = type(result).load(tmp_path / "run.json", problem)
    assert learn_prior([loaded]).counts == learn_prior([result]).counts


def test_solutions_of_another_form() -> None:
    result = solve(SameGame(SMALL_BOARD), NRPA(1, 30), seed=1)
    with pytest.raises(InputError, match="not moves of samegame"):
        learn_prior([(result.problem, ["nonsense"])])

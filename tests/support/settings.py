"""Settings of every algorithm and every option."""

from __future__ import annotations

from nestor import GNRPA, NMCS, NRPA, Algorithm, BeamNRPA, BeamSearch, Sampling

PLAIN: list[Algorithm] = [
    Sampling(),
    NRPA(level=1, iterations=60),
    NRPA(level=2, iterations=8),
    NRPA(level=4, iterations=3),
    NRPA(level=2, iterations=15, alpha=300.0),
    GNRPA(level=3, iterations=(5, 3, 4), alpha=(0.5, 1.0, 2.0), temperature=1.4),
]

LEAF_PARALLEL: list[NRPA] = [
    NRPA(level=2, iterations=10, width=4),
    GNRPA(level=3, iterations=6, width=(3, 6, 2)),
]

LEVEL_PARALLEL: list[NRPA] = [
    NRPA(level=2, iterations=(10, 7), width=4, policies="local", inherit=True),
    NRPA(level=2, iterations=8, width=(1, 3), policies="local", share=False),
    GNRPA(3, 5, temperature=1.4, width=(1, 2, 1), policies="local", inherit=True),
    NRPA(level=3, iterations=(7, 4, 3), width=3, policies="local"),
    NRPA(level=2, iterations=6, width=(64, 1), policies="local", share=False, inherit=True),
    NRPA(level=2, iterations=5, alpha=300.0, width=(3, 1), policies="local"),
]

PARALLEL = [*LEAF_PARALLEL, *LEVEL_PARALLEL]

# Long enough for several threads.
WIDE: list[NRPA] = [
    NRPA(level=3, iterations=(30, 3, 3), width=(8, 2, 1)),
    NRPA(level=3, iterations=(10, 8, 3), width=(1, 4, 1)),
    GNRPA(level=3, iterations=(5, 6, 7), width=(1, 1, 3)),
    NRPA(level=2, iterations=(20, 10), width=16, policies="local", inherit=True),
    NRPA(level=3, iterations=(5, 9, 3), width=(1, 4, 1), policies="local", share=False),
]

OPTIONS: list[NRPA] = [
    NRPA(1, 200, repetitions=1),
    NRPA(2, 60, repetitions=2),
    NRPA(3, 12, repetitions=(3, 1, 2)),
    NRPA(2, 40, width=4, repetitions=2),
    GNRPA(2, 25, temperature=1.4, width=(3, 2), repetitions=(2, 1)),
    NRPA(2, (40, 8), width=5, width_rate="once"),
    NRPA(1, 200, force_explore=True),
    NRPA(2, 40, width=4, force_explore=True, repetitions=2),
    GNRPA(3, 12, temperature=0.8, force_explore=True),
    NRPA(1, 150, warm_start=2.3),
    NRPA(3, (9, 10, 11), warm_start=0.9),
    GNRPA(2, 25, width=4, repetitions=2, force_explore=True, warm_start=1.5),
    GNRPA(2, 20, 0.7, temperature=1.4, width=(4, 3), width_rate="once", repetitions=3),
]

WIDE_OPTIONS: list[NRPA] = [
    NRPA(3, 30, width=(8, 2, 1), repetitions=2),
    NRPA(3, (50, 12, 3), width=(1, 4, 1), repetitions=(2, 3, 1)),
    GNRPA(3, (20, 10, 9), width=(1, 1, 3), repetitions=(3, 2, 1)),
    NRPA(2, 10**15, width=4, repetitions=1),
    NRPA(2, (200, 40), width=5, width_rate="once"),
    NRPA(2, (200, 40), width=5, force_explore=True),
    NRPA(3, 20, width=(1, 4, 1), force_explore=True),
    NRPA(3, 20, width=(4, 1, 2), warm_start=2.3),
]

LEARNING: list[GNRPA] = [
    GNRPA(1, 60, bias_learning=0.01),
    GNRPA(2, 10, bias_learning=1.0),
    GNRPA(3, (6, 4, 5), (0.5, 1.0, 2.0), temperature=1.4, bias_learning=0.1, bias_weight=0.0),
    GNRPA(2, 12, bias_learning=0.05, bias_weight=-1.5, width=(4, 3)),
    GNRPA(2, 12, bias_learning=0.05, width=4, width_rate="once", repetitions=2),
    GNRPA(2, 20, bias_learning=0.02, force_explore=True, warm_start=2.3),
    GNRPA(2, 10, bias_learning=1e6, bias_weight=1000),
    GNRPA(2, 12, bias_learning=0.1, width=4, policies="local", inherit=True),
    GNRPA(3, 6, bias_learning=0.1, width=(1, 3, 1), policies="local", share=False),
]

WIDE_LEARNING: list[GNRPA] = [
    GNRPA(3, 30, width=(8, 2, 1), bias_learning=0.05),
    GNRPA(3, 20, width=(1, 4, 1), bias_learning=0.05),
    GNRPA(2, (200, 40), width=5, width_rate="once", bias_learning=0.2, force_explore=True),
    GNRPA(3, (12, 9, 7), width=(1, 3, 1), policies="local", inherit=True, bias_learning=0.05),
]

NESTED: list[NMCS] = [
    NMCS(1),
    NMCS(2),
    NMCS(3),
    NMCS(2, samples=1),
    NMCS(3, samples=2),
    NMCS(1, samples=30),
    NMCS(1, beam=3),
    NMCS(2, beam=(2, 3)),
    NMCS(3, samples=2, beam=(1, 2, 2)),
    NMCS(1, samples=6, beam=40),
]

BEAMS: list[BeamNRPA] = [
    BeamNRPA(1, 40),
    BeamNRPA(2, 8, adapt_all=False, diversity=0),
    BeamNRPA(2, 6, beam=(3, 2), diversity=0),
    BeamNRPA(3, 3, beam=(2, 3, 2), adapt_all=False, unique=True, diversity=0),
    BeamNRPA(2, (10, 3), (0.5, 2.0), 1.4, beam=7, unique=True, diversity=0),
    BeamNRPA(2, 1, beam=(2, 2)),
    BeamNRPA(2, 8, beam=(4, 2)),
    BeamNRPA(3, 3, beam=3, adapt_all=False, unique=True, diversity=1),
    BeamNRPA(2, 12, alpha=300.0, beam=(2, 1), adapt_all=False, diversity=0),
]

POLISHED_BEAMS: list[BeamNRPA] = [
    BeamNRPA(2, (3, 4), beam=2, polish=True, tries=1),
    BeamNRPA(
        3,
        (3, 3, 2),
        beam=(2, 2, 1),
        adapt_all=False,
        unique=True,
        diversity=0,
        polish=True,
        tries=1,
    ),
]

POLISHED: list[NRPA] = [
    NRPA(2, (5, 4), polish=True, tries=1),
    NRPA(3, (3, 4, 2), polish=True, tries=1),
    GNRPA(2, (3, 8), temperature=1.4, polish=True, tries=2, kick=0.8),
    NRPA(2, (4, 7), polish=True, tries=1, repetitions=2, force_explore=True),
]

WIDE_POLISHED: list[NRPA] = [
    NRPA(2, (7, 6), width=(3, 1), polish=True, tries=1),
    NRPA(2, (4, 7), width=(2, 3), polish=True, tries=1),
    NRPA(3, (2, 3, 5), width=(1, 1, 2), polish=True, tries=1),
]

TUNED: list[Algorithm] = [
    Sampling(playout_policy="tuned"),
    NMCS(1, 2, playout_policy="tuned"),
    NMCS(2, samples=1, playout_policy="tuned"),
]

EVERY: list[Algorithm] = [
    *PLAIN,
    *PARALLEL,
    *WIDE,
    *OPTIONS,
    *WIDE_OPTIONS,
    *LEARNING,
    *WIDE_LEARNING,
    *NESTED,
    *BEAMS,
    BeamSearch(),
    BeamSearch(bias="none"),
    *TUNED,
    *POLISHED,
    *WIDE_POLISHED,
    *POLISHED_BEAMS,
]

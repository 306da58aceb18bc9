"""`nestor problems`, `algorithms` and `priors`: what there is, listed and explained."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import cleandoc
from typing import Any

import click

from nestor.cli.options import (
    ALL,
    FRONTS,
    JSON,
    AlgorithmName,
    Command,
    Name,
    kind_of,
    run_options,
)
from nestor.cli.output import print_json
from nestor.prior import Prior, shipped
from nestor.problems import PROBLEMS
from nestor.problems.command import command_of
from nestor.safe import tell
from nestor.settings import Setting, defaults_of, settings_of, text_of
from nestor.text import WIDTH

Facts = dict[str, Any]


def about_problem(name: str) -> Facts:
    """Return the facts about a problem, from its class and its command."""
    kind, command = PROBLEMS[name], command_of(PROBLEMS[name])
    return {
        "name": name,
        **_parts(command.help),
        "class": f"nestor.problems.{kind.__name__}",
        "biases": list(kind.biases),
        "default_bias": kind.default_bias,
        "settings": _settings(command.settings, defaults_of(kind)),
        "examples": [f"nestor solve {name} {each}" for each in command.examples],
    }


def about_algorithm(name: str) -> Facts:
    """Return the facts about an algorithm, from its class."""
    kind = kind_of(name)
    example = "mymodule:MyProblem" if name in FRONTS else kind.example
    return {
        "name": name,
        **_parts((kind.__doc__ or "").partition("\nParameters\n")[0]),
        "class": name.replace(":", ".") if ":" in name else f"nestor.{kind.__name__}",
        "settings": _settings(settings_of(kind), defaults_of(kind)),
        "examples": [f"nestor solve {example} --algorithm {name} --playouts 10000"],
    }


def about_prior(name: str) -> Facts:
    """Return the facts about a prior that comes with Nestor, from its file."""
    prior = Prior.load(name)
    origin = ", ".join(f"{key} {value}" for key, value in prior.provenance.items())
    return {
        "name": name,
        "summary": f"For the problem {prior.problem}: {len(prior.counts):,} codes.",
        "text": f"Made from: {origin}.",
        "problem": prior.problem,
        "provenance": prior.provenance,
    }


def _parts(text: str) -> Facts:
    """Return the first paragraph of a text, without its source, and the rest."""
    summary, _, rest = cleandoc(text).partition("\n\n")
    return {
        "summary": re.sub(r" \([^()]*\)\.$", ".", " ".join(summary.split())),
        "text": rest.strip().replace("`", ""),
    }


def _settings(described: Mapping[str, Setting], defaults: Mapping[str, Any]) -> list[Facts]:
    return [
        {
            "name": name,
            "type": each.kind.type,
            "default": defaults.get(name),
            **({"usual": each.usual} if each.usual else {}),
            "help": " ".join(each.parameter(name, None)[1].replace("`", "").split()),
        }
        for name, each in described.items()
    ]


def show_list(kind: str, facts: list[Facts], more: str) -> None:
    """Print a line about each thing of a kind, and what to read besides."""
    formatter = click.HelpFormatter(max_width=WIDTH)
    formatter.write_dl([(each["name"], each["summary"]) for each in facts])
    tell(formatter.getvalue())
    tell(f"nestor {kind} NAME explains one. {more}")


def show_one(facts: Facts) -> None:
    """Print all about a thing."""
    formatter = click.HelpFormatter(max_width=WIDTH)
    formatter.write_text(f"{facts['name']}: {facts['summary']}\n\n{facts['text']}".rstrip())
    short = [
        (name.replace("_", " "), ", ".join(value) if isinstance(value, list) else value)
        for name, value in facts.items()
        if name in ("class", "biases", "default_bias")
    ]
    taken = {each.name for each in run_options()} if "settings" in facts else ()
    rows = [
        (
            f"--set {each['name']}=..."
            if each["name"] in taken
            else f"--{each['name'].replace('_', '-')}",
            f"{each['help']}{_default(each.get('usual', each['default']))}",
        )
        for each in facts.get("settings", [])
    ]
    for heading, entries in (("In Python", short), ("Settings", rows)):
        if entries:
            with formatter.section(heading):
                formatter.write_dl(entries)
    if "examples" in facts:
        with formatter.section("Examples"):
            formatter.write(
                "".join(f"{'':{formatter.current_indent}}{line}\n" for line in facts["examples"])
            )
    tell(formatter.getvalue(), end="")


def _default(value: Any) -> str:
    return "" if value is None else f"  [default: {text_of(value)}]"


def _command(
    kind: str, known: Name, facts: Callable[[str], Facts], more: str, help: str
) -> Command:
    """Return the command that lists the things of a kind, or explains one."""

    def explain(name: str | None, as_json: bool) -> None:
        if name is not None:
            print_json(facts(name)) if as_json else show_one(facts(name))
            return
        every = [facts(each) for each in known.choices]
        print_json({kind: every}) if as_json else show_list(kind, every, more)

    return Command(
        explain,
        [click.Argument(["name"], required=False, metavar="[NAME]", type=known), JSON],
        f"nestor {kind}",
        f"nestor {kind} {known.choices[0]}",
        f"nestor {kind} {known.choices[0]} --json",
        name=kind,
        help=help,
    )


problems_command = _command(
    "problems",
    Name(sorted(PROBLEMS)),
    about_problem,
    "nestor solve NAME --help has options.",
    "List the problems, or explain one.",
)
algorithms_command = _command(
    "algorithms",
    AlgorithmName(ALL),
    about_algorithm,
    "module:name is one of your own.",
    "List the algorithms, or explain one and its options.",
)
priors_command = _command(
    "priors",
    Name(shipped()),
    about_prior,
    "--prior NAME uses one in a search.",
    "List the priors that come with Nestor, or explain one.",
)

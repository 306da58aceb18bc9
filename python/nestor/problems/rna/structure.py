"""Secondary structures, bases and moves: the vocabulary of inverse RNA folding."""

from __future__ import annotations

from collections.abc import Sequence

from nestor.errors import InputError

MAX_LENGTH = 5000
"""The longest target: the tables of a fold take 28 bytes for each pair of positions, 700 MB."""
SHORTEST_LOOP = 3
"""The fewest bases of a hairpin loop; no model lets a chain turn with fewer."""
LONGEST_LOOP = 30
"""The most unpaired bases between two pairs, on both sides; ViennaRNA and the core fold no more."""
BASES = "ACGU"
PAIR_MOVES = ("CG", "GC", "AU", "UA", "GU", "UG")
BASE_MOVES = ("A", "C", "G", "U")
MOVES = PAIR_MOVES + BASE_MOVES
"""All moves, in their order."""

IUPAC = {
    "A": "A",
    "C": "C",
    "G": "G",
    "U": "U",
    "T": "U",
    "R": "AG",
    "Y": "CU",
    "S": "CG",
    "W": "AU",
    "K": "GU",
    "M": "AC",
    "B": "CGU",
    "D": "AGU",
    "H": "ACU",
    "V": "ACG",
    "N": "ACGU",
}
"""The bases that each letter allows."""

Partners = tuple[int | None, ...]


def partners_of(structure: str, what: str = "target", most: int = MAX_LENGTH) -> Partners:
    """Return the position of the partner of each base of a structure, from 0, or None.

    Parameters
    ----------
    structure : str
        Dot-bracket: "(" and ")" for the bases of a pair, "." for an unpaired base.
    what : str
        How errors name the structure.
    most : int
        The largest number of positions.

    Raises
    ------
    InputError
        If it is empty or too long, has another symbol, or is not balanced. Positions are counted
        from 1.
    """
    if not structure:
        raise InputError(f"{what} must be a structure such as '((((....))))', not empty")
    if len(structure) > most:
        raise InputError(
            f"{what} must have at most {most} positions, not {len(structure)}: the memory for a "
            "fold grows with the square of its length"
        )
    partners: list[int | None] = [None] * len(structure)
    open_at: list[int] = []
    for position, symbol in enumerate(structure):
        if symbol == "(":
            open_at.append(position)
        elif symbol == ")":
            if not open_at:
                raise InputError(f"{what}: the ')' at position {position + 1} closes no '('")
            opening = open_at.pop()
            partners[opening], partners[position] = position, opening
        elif symbol != ".":
            raise InputError(
                f"{what}: position {position + 1} is {symbol!r}; a structure has '(', ')' and '.', "
                f"{_not_for(symbol)}"
            )
    if open_at:
        raise InputError(f"{what}: the '(' at position {open_at[-1] + 1} is never closed")
    return tuple(partners)


def _not_for(symbol: str) -> str:
    """Return what structures are not for that have such a symbol."""
    if symbol.isspace():
        return "without spaces or line breaks"
    if symbol in "&+":
        return "for one strand"
    if symbol in "[]{}<>" or symbol.isalpha():
        return "without pseudoknots or bases"
    return "and nothing else"


def check_loops(partners: Partners) -> None:
    """Check that every loop can be folded: hairpins are not too short, interior loops not too long.

    Raises
    ------
    InputError
        If one cannot be; the message names the pairs that close it, with positions from 1.
    """
    # Of each pair that is open, and of the outside: its opening base and the pairs right inside.
    around: list[tuple[int, list[int]]] = [(-1, [])]
    for position, partner in enumerate(partners):
        if partner is None:
            continue
        if position < partner:
            around.append((position, []))
            continue
        opening, inside = around.pop()
        around[-1][1].append(opening)
        pair = f"target: positions {opening + 1} and {position + 1}"
        if position <= opening + SHORTEST_LOOP:
            raise InputError(f"{pair} cannot pair: at least {SHORTEST_LOOP} bases must be between")
        if len(inside) != 1:
            continue
        first, last = inside[0], partners[inside[0]] or 0
        unpaired = first - opening + position - last - 2
        if unpaired > LONGEST_LOOP:
            raise InputError(
                f"{pair}, and {first + 1} and {last + 1} inside, have {unpaired} unpaired bases "
                f"between them: no fold has a bulge or interior loop of more than {LONGEST_LOOP}"
            )


def allowed_bases(letters: str, partners: Partners) -> tuple[str, ...]:
    """Return the bases that IUPAC letters allow at each position.

    Parameters
    ----------
    letters : str
        An IUPAC letter for each position, "N" for any base; "" for no constraint.
    partners : tuple
        The target, in the form of `partners_of`.

    Raises
    ------
    InputError
        If there are too many or too few, if one is wrong, or if they leave a pair no two bases that
        can pair. Positions are counted from 1.
    """
    if not letters:
        return (BASES,) * len(partners)
    if len(letters) != len(partners):
        raise InputError(
            f"sequence must have a letter for each of the target's {len(partners)} positions "
            f"(N for any base), not {len(letters)} letters"
        )
    for position, letter in enumerate(letters):
        if letter not in IUPAC:
            raise InputError(
                f"sequence: position {position + 1} is {letter!r}; it must be an IUPAC letter, "
                f"one of {' '.join(IUPAC)}"
            )
    allowed = tuple(IUPAC[letter] for letter in letters)
    for position, partner in enumerate(partners):
        if partner is None or partner < position:
            continue
        if not pair_moves(allowed[position], allowed[partner]):
            raise InputError(
                f"sequence: {letters[position]} at position {position + 1} and "
                f"{letters[partner]} at position {partner + 1} can never pair; C and G can, A and "
                "U, G and U"
            )
    return allowed


def pair_moves(first: str, second: str) -> list[str]:
    """Return the pairs of a base from each of two sets, in order."""
    return [pair for pair in PAIR_MOVES if pair[0] in first and pair[1] in second]


def moves_at(partners: Partners, allowed: Sequence[str], position: int) -> list[str]:
    """Return the moves that fill a position, and the one that it pairs with."""
    partner = partners[position]
    if partner is None:
        return [base for base in BASE_MOVES if base in allowed[position]]
    return pair_moves(allowed[position], allowed[partner])


def places(partners: Partners, order: str) -> tuple[int, ...]:
    """Return the position of each move: pairs by their opening base, unpaired bases.

    Parameters
    ----------
    partners : tuple
    order : {"target", "pairs"}
        From left to right, or first all pairs and then all unpaired bases, each from left to right.
    """
    found = [p for p, partner in enumerate(partners) if partner is None or p < partner]
    if order == "pairs":
        found.sort(key=lambda position: partners[position] is None)
    return tuple(found)


def moves_making(sequence: str, partners: Partners, order: str) -> list[str]:
    """Return the moves that make a sequence of bases, in an order of `places`."""
    moves = []
    for position in places(partners, order):
        partner = partners[position]
        moves.append(sequence[position] + ("" if partner is None else sequence[partner]))
    return moves


def made_by(moves: Sequence[str], partners: Partners, order: str) -> str:
    """Return the sequence of bases that moves make, in an order of `places`."""
    bases = [""] * len(partners)
    for position, move in zip(places(partners, order), moves, strict=True):
        partner = partners[position]
        bases[position] = move[0]
        if partner is not None:
            bases[partner] = move[1]
    return "".join(bases)


def distance(first: Partners, second: Partners) -> int:
    """Return the number of pairs that are in only one of two structures (base-pair distance)."""
    return len(set(_pairs(first)) ^ set(_pairs(second)))


def impossible(sequence: str, partners: Partners) -> int:
    """Return the number of pairs of a structure whose bases cannot pair."""
    return sum(sequence[i] + sequence[j] not in PAIR_MOVES for i, j in _pairs(partners))


def _pairs(partners: Sequence[int | None]) -> list[tuple[int, int]]:
    return [(i, j) for i, j in enumerate(partners) if j is not None and i < j]

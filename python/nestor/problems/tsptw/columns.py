"""What the columns of a table of stops mean, as its header names them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from nestor.errors import InputError, folded, nearest, warn
from nestor.problems.textfile import shown

ROUTES = "one vehicle without loads makes the tour; PyVRP plans several vehicles and capacities"

PRIORITY = "say what it costs to leave a stop out, in a column penalty"

_CURES = {
    ROUTES: "demand load weight volume quantity capacity menge gewicht quantite poids cantidad "
    "peso hoeveelheid quantita demande demanda bedarf carga vraag pallets pickup delivery crew "
    "team mitarbeiter furgoneta vehicle vehicles truck driver route skill skills technician "
    "fahrzeug lkw fahrer techniker monteur qualifikation vehicule camion chauffeur technicien "
    "vehiculo conductor tecnico veicolo autista voertuig",
    "a break is a stop: docs/routing.md has how": "break lunch pause",
    PRIORITY: "priority prioritat prioritaet prioriteit priorite prioridad priorita",
}
UNSUPPORTED = {word: cure for cure, words in _CURES.items() for word in words.split()}
"""Columns that other tools have, as in `COLUMNS` and `ABROAD`, and what to do instead."""

SEVERAL = {
    (
        "days",
        "one tour is of one day",
    ): "date datum day weekday wochentag fecha dia jour giorno dag",
    ("tours", ROUTES): "tech tour round runde touren tournee ruta rit ronde giro",
}
"""Columns that are in vain if stops differ in them: what these then have, and what to do."""

COLUMNS = {
    "name": ("name", "stop", "customer", "label", "id", "address"),
    "x": ("x", "xcoord"),
    "y": ("y", "ycoord"),
    "lat": ("lat", "latitude"),
    "lon": ("lon", "lng", "long", "longitude"),
    "ready": ("ready", "readytime", "earliest", "open", "opens", "from", "start"),
    "due": ("due", "duedate", "duetime", "latest", "close", "closes", "until", "to", "end"),
    "window": ("window", "timewindow", "hours", "openinghours"),
    "service": ("service", "servicetime", "duration"),
    "penalty": ("penalty", "prize"),
    "before": ("before",),
    "after": ("after",),
    "position": ("position",),
}
"""How the header may write each column, in small letters without spaces, dots and underscores."""

LIKE = {
    "ready": "opening openingtime starttime notbefore fromtime windowstart timewindowstart twstart",
    "due": "closing closingtime closetime endtime notafter deadline windowend timewindowend twend "
    "by totime",
    "service": "minutes mins stay stoptime dwell dwelltime handlingtime handling visitlength "
    "visittime visitduration stopduration unloadingtime timeonsite onsite onsitetime timeatstop "
    "worktime workingtime jobtime tasktime",
    "penalty": "optional skippable",
}
"""What else tables call columns; it is not clear enough to be taken for them."""

ABROAD = {
    "name": "kunde kundenname bezeichnung client nom cliente nombre klant klantnaam naam nome",
    "lat": "breite breitengrad latitud latitudine breedtegraad",
    "lon": "lange laenge langengrad laengengrad longitud longitudine lengtegraad",
    "ready": "von ab beginn offnung offnet oeffnet fruhestens fruehestens startzeit debut "
    "ouverture ouvre apartirde auplustot desde apertura abre inicio van vanaf opent begin "
    "starttijd da dalle apre inizio",
    "due": "bis ende schliesst spatestens spaetestens endzeit frist fin fermeture ferme auplustard "
    "jusque jusqua limite hasta cierre cierra tot sluit sluiting einde eindtijd uiterlijk fino "
    "chiusura chiude fine entro",
    "window": "zeitfenster offnungszeit offnungszeiten oeffnungszeiten lieferfenster lieferzeit "
    "uhrzeit creneau horaire horaires horario ventana franja tijdvenster tijdvak openingstijd "
    "openingstijden orario orari finestra fascia",
    "service": "standzeit servicezeit dauer haltezeit aufenthalt aufenthaltsdauer verweildauer "
    "entladezeit ladezeit minuten duree tempsservice tempsdeservice dechargement duracion servicio "
    "tiempo tiempodeservicio descarga minutos duur servicetijd stoptijd lostijd laadtijd verblijf "
    "durata servizio sosta tempodisosta tempodiservizio scarico minuti vorort zeitvorort "
    "arbeitszeit einsatzzeit bearbeitungszeit bedienzeit tempssurplace werktijd werkduur "
    "terplaatse tijdterplaatse",
    "penalty": "strafe strafkosten penalite penalizacion boete penale",
}
"""The same in German, French, Spanish, Dutch and Italian, without accents."""

WORDS = {
    "lat": ("lat", "latitude"),
    "lon": ("lon", "lng", "longitude"),
    "ready": ("ready", "earliest", "opens", "opening"),
    "due": ("due", "latest", "closes", "closing", "deadline"),
    "service": ("service", "duration", "dwell", "unloading", "minutes", "mins"),
    "penalty": ("penalty",),
    "before": ("before", "precedes", "predecessor"),
    "position": ("position", "pos"),
}
"""Words that make a longer header unclear, as "Service minutes": to ignore it changes the plan."""

VISITED = ("done", "visited", "completed", "finished", "delivered", "served")
"""Columns that seem to say which stops have been visited."""

NUMBERED = {
    f"{spelling}{number}": name if number == 1 else f"{name}{number}"
    for name in ("ready", "due")
    for spelling in COLUMNS[name]
    for number in range(1, 10)
}
"""The columns of windows with a number; those with a 1 are the first."""

FOREIGN = {word: name for name, words in ABROAD.items() for word in words.split()}

PAIRS = (
    *(("de", "a"), ("du", "au"), ("dalle", "alle"), ("da", "a")),
    *(("arrivefrom", "arriveby"), ("twfrom", "twto"), ("timefrom", "timeto")),
)
"""Words for ready and due, of which one alone may mean something else."""

EXAMPLE = "name, lat, lon, ready, due, service"


def _plain(cell: str) -> str:
    return "".join(c for c in folded(cell) if c not in " ._-'\u2019\t\r\n")


def _stem(cell: str) -> str:
    """Return a name without the unit in brackets behind it, and "2nd" as "2"."""
    plain = _plain(re.sub(r"[(\[][^\d()]{0,40}[)\]]\s*$", "", cell)) or _plain(cell)
    plain = re.sub(r"^(\d)(?:st|nd|rd|th)(.+)", r"\2\1", plain)
    return re.sub(r"(\d)(?:st|nd|rd|th)$", r"\1", plain)


def checked_renames(given: Any) -> dict[str, str]:
    """Return Nestor's names of columns by those of a table, also from "von=ready, bis=due".

    Raises
    ------
    InputError
        If they are something else.
    """
    pairs = {} if given is None else given
    if isinstance(pairs, str):
        parts = [part.rpartition("=") for part in pairs.split(";" if ";" in pairs else ",")]
        names = [name.strip() for name, *_ in parts]
        pairs = {name.strip(): meant.strip() for name, _, meant in parts}
        if twice := [name for name in pairs if names.count(name) > 1]:
            raise InputError(f"columns: {shown(twice[0])} is there twice")
    named = isinstance(pairs, Mapping)
    if not named or not all(
        each and isinstance(each, str) for pair in pairs.items() for each in pair
    ):
        raise InputError(
            "columns must be Nestor's names by those of the table, such as {'von': 'ready'} or "
            f"'von=ready', not {given!r:.80}"
        )
    for meant in pairs.values():
        # Another name has a column passed over.
        if not known_columns([meant]) and (hint := nearest(meant, COLUMNS)):
            raise InputError(f"columns: {shown(meant)} is no name of Nestor's{hint}")
    return dict(pairs)


def renamed(header: list[str], renames: Mapping[str, str]) -> list[str]:
    """Return a header with Nestor's names in the place of those of a table."""
    plain = {_plain(name): meant for name, meant in renames.items()}
    return [plain.get(_plain(cell), cell) for cell in header]


def several(cell: str) -> tuple[str, str]:
    """Return what a table has if stops differ in a column of this name, and what to do then."""
    return next(
        (told for told, names in SEVERAL.items() if _plain(cell) in names.split()), ("", "")
    )


def passed_over(cell: str) -> str:
    """Return what to do with a column that does not matter."""
    return f"remove the column, or give columns={f'{cell}=note'!r} (--columns)"


def known_columns(header: list[str]) -> dict[str, list[int]]:
    """Return which columns each name stands for; a name that comes first among its spellings."""
    cells = [_plain(cell) for cell in header]
    found: dict[str, list[int]] = {}
    for name, spellings in COLUMNS.items():
        places = [k for spelling in spellings for k, cell in enumerate(cells) if cell == spelling]
        if places:
            found[name] = places[:1] if name == "name" else places
    for place, cell in enumerate(cells):
        if cell in NUMBERED:
            found.setdefault(NUMBERED[cell], []).append(place)
    return found


def count_columns(header: list[str]) -> int:
    """Return how many columns a header names, in whatever language."""
    foreign = {FOREIGN[cell] for cell in map(_plain, header) if cell in FOREIGN}
    return len(known_columns(header).keys() | foreign)


def has_place(known: dict[str, list[int]]) -> bool:
    """Whether there are columns of coordinates."""
    return {"x", "y"} <= known.keys() or {"lat", "lon"} <= known.keys()


def checked_columns(
    where: str, header: list[str], placed: bool, renames: Mapping[str, str]
) -> tuple[dict[str, int], str]:
    """Return which column has what, and what is wrong with others, if the rows can be read."""
    for name in renames:
        if _plain(name) not in map(_plain, header):
            raise InputError(
                f"{where}: columns: no column is named {shown(name)}{nearest(name, header)}"
            )
    named = renamed(header, renames)
    known = known_columns(named)
    listed = ", ".join(map(shown, header[:12]))
    if known and "name" not in known and not header[0]:
        # The index of a data frame, in a file.
        known["name"] = [0]
    for name, places in known.items():
        if len(places) > 1:
            twice = " and ".join(shown(header[k]) for k in places)
            raise InputError(f"{where}: columns {twice} both stand for {name!r}")
    fault = _check_others(where, header, named, known)
    timed = {"ready", "due", "window"} & known.keys()
    if fault and (not known or (placed and not (timed and has_place(known)))):
        raise InputError(fault)
    if not known:
        raise InputError(
            f"{where}: the first row must name the columns, such as {EXAMPLE}, not {listed}"
        )
    if {"x", "y"} <= known.keys() and {"lat", "lon"} & known.keys():
        raise InputError(f"{where}: columns x, y and lat, lon: keep one pair")
    if "window" in known and (other := {"ready", "due"} & known.keys()):
        both = " and ".join(shown(header[known[name][0]]) for name in ("window", min(other)))
        raise InputError(f"{where}: columns {both} both have hours: keep one of them")
    if placed and not has_place(known):
        raise InputError(
            f"{where}: columns x and y, or lat and lon, are needed, or a matrix of times of "
            f"travel, not only {listed}"
        )
    if placed and not timed:
        raise InputError(f"{where}: a column ready or due is needed, not only {listed}")
    for name, (place, *_) in known.items():
        opens = name.replace("due", "ready")
        if name[-1].isdigit() and opens not in known:
            raise InputError(
                f"{where}: column {shown(header[place])} needs another one, such as {opens!r}, for "
                "when that window opens"
            )
        closes = name.replace("ready", "due")
        if name[-1].isdigit() and closes not in known:
            warn(
                f"{where}: column {shown(header[place])} is there without another one, such as "
                f"{closes!r}, for when that window closes: it does not"
            )
    return {name: places[0] for name, places in known.items()}, fault


def _check_others(
    where: str, header: list[str], named: list[str], known: dict[str, list[int]]
) -> str:
    """Return which columns are there in vain or misspelt, and name the rest in a warning."""
    used = {place for places in known.values() for place in places}
    missing = COLUMNS.keys() - known - ({"x", "y", "lat", "lon"} if has_place(known) else set())
    if {"ready", "due"} & known.keys():
        missing -= {"window"}
    # A penalty says it already.
    vain = {
        word for word, cure in UNSUPPORTED.items() if cure != PRIORITY or "penalty" not in known
    }
    meant = {word: word for word in vain if len(word) > 5}
    abroad = {word: name for word, name in FOREIGN.items() if name in missing}
    for name in sorted(missing):
        meant |= dict.fromkeys(LIKE.get(name, "").split(), name)
        meant |= {spelling: spelling for spelling in COLUMNS[name]}
    exact = dict(abroad)
    for pair in PAIRS:
        if {*pair} <= {*map(_stem, header)}:
            both = zip(pair, ("ready", "due"), strict=True)
            exact |= {word: name for word, name in both if name in missing}
    others, vainly, hint = [], [], ""
    guesses = dict[str, tuple[str, str]]()
    for place, (own, cell) in enumerate(zip(header, named, strict=True)):
        plain = _stem(cell)
        if place in used or not plain:
            continue
        if plain in VISITED:
            hint = "; pinned and now (--pinned, --now) say which stops are visited already"
            others.append(shown(own))
            continue
        words = meant
        if (number := plain[-1]).isdigit():
            words = {word: word for word in NUMBERED if word[-1] == number}
            for name in ("ready", "due") if words else ():
                others_of = f"{LIKE[name]} {ABROAD[name]}".split()
                words |= {f"{word}{number}": f"{name}{number}" for word in others_of}
            words = {word: said for word, said in words.items() if NUMBERED[said] not in known}
        near = [word for word in words if _is_swapped(plain, word)]
        near = near or get_close_matches(plain, {**words, **dict.fromkeys(vain & {plain})}, 1, 0.82)
        if near and near[0] in vain:
            seems = "" if near[0] == plain else f"seems to be {near[0]!r}, which "
            vainly.append(
                f"column {shown(cell)} {seems}is not supported: {UNSUPPORTED[near[0]]}; if "
                f"it does not matter, {passed_over(cell)}"
            )
            continue
        said = [exact[plain]] if plain in exact else [words[word] for word in near]
        if said := said or _within(cell, missing if words is meant else (), abroad):
            other = said[0] == "service" and re.search(r"[(\[](?!min)", cell.casefold())
            unit = " (in minutes where times are HH:MM)" if other else ""
            guesses[f"column {shown(cell)}: did you mean {said[0]!r}{unit}?"] = cell, said[0]
        else:
            others.append(shown(own))
    # One column has the name: another, such as an address, would be renamed in vain.
    names = [text for text, (_, said) in guesses.items() if said in COLUMNS["name"]]
    names.sort(key=lambda text: COLUMNS["name"].index(guesses[text][1]))
    told = [text for text in guesses if text not in names[1:]]
    if told:
        said = ["=".join(guesses[text]) for text in told]
        pairs = ("; " if "," in "".join(said) else ", ").join(said)
        told[-1] += (
            f" If so, rename the column, or give columns={pairs!r} (--columns); if not, give it "
            "another name"
        )
    if vainly or told:
        return f"{where}: {'. '.join([*vainly, ' '.join(told)]).rstrip('. ')}"
    if others and known:
        warn(f"{where}: ignored columns: {', '.join(others[:12])}{hint}")
    return ""


def _within(cell: str, missing: Collection[str], abroad: dict[str, str]) -> list[str]:
    """Return which of the columns that are missing a longer name may stand for."""
    parts = re.split(r"[^a-z]+", folded(re.sub(r"([a-z])([A-Z])", r"\1 \2", cell)).strip(" ()[]"))
    found = {name for name in missing if not {*WORDS.get(name, ())}.isdisjoint(parts)}
    found |= {abroad[part] for part in (parts[0], parts[-1]) if part in abroad}
    return sorted(found - {"name"})


def _is_swapped(one: str, other: str) -> bool:
    """Whether words differ by two letters, side by side, that have changed places."""
    k = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return one != other and one == other[:k] + other[k : k + 2][::-1] + other[k + 2 :]

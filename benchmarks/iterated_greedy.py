"""Iterated greedy (Ruiz and Stützle 2007) for problems of orders, compiled by Numba.

Items are put, one after the other, where they cost least; then four are taken out and put back so,
again and again, with local search by insertion after each round. A worse order is kept with the
chance of annealing at a constant temperature. `in_shop`, `on_machine` and `in_matrix` find the best
place of an item, the first by the acceleration of Taillard (1990).
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numba import njit

TAKEN = 4
ROUNDS = 10
"""Rounds between looks at the clock."""


def search(place: Any, data: Any, temperature: float, seconds: float, seed: int) -> float:
    """Return the least cost found within these CPU seconds."""
    begin = time.process_time()
    order, value = _begin(place, data, seed)
    best = value
    while time.process_time() - begin < seconds:
        value, best = _go_on(place, data, temperature, order, value, best)
    return float(best)


@njit(cache=True)
def in_shop(times, order, count, job):  # type: ignore[no-untyped-def]
    """Return the best place of a job among the first `count` of an order, and the makespan."""
    machines = times.shape[1]
    heads = np.zeros((count + 1, machines), np.int64)
    tails = np.zeros((count + 1, machines + 1), np.int64)
    for i in range(count):
        ready = 0
        for k in range(machines):
            ready = max(ready, heads[i, k]) + times[order[i], k]
            heads[i + 1, k] = ready
    for i in range(count - 1, -1, -1):
        for k in range(machines - 1, -1, -1):
            tails[i, k] = max(tails[i + 1, k], tails[i, k + 1]) + times[order[i], k]
    best, at = 1 << 60, 0
    for i in range(count + 1):
        ready, longest = 0, 0
        for k in range(machines):
            ready = max(ready, heads[i, k]) + times[job, k]
            longest = max(longest, ready + tails[i, k])
        if longest < best:
            best, at = longest, i
    return best, at


@njit(cache=True)
def on_machine(jobs, order, count, job):  # type: ignore[no-untyped-def]
    """Return the best place of a job on one machine, and the weighted tardiness."""
    length, weight, due = jobs[job]
    later = np.zeros(count + 1, np.int64)
    end = length + jobs[order[:count], 0].sum()
    for i in range(count - 1, -1, -1):
        later[i] = later[i + 1] + jobs[order[i], 1] * max(0, end - jobs[order[i], 2])
        end -= jobs[order[i], 0]
    best, at, before = 1 << 60, 0, 0
    for i in range(count + 1):
        cost = before + weight * max(0, end - due) + later[i]
        if cost < best:
            best, at = cost, i
        if i < count:
            before += jobs[order[i], 1] * max(
                0, end - length + jobs[order[i], 0] - jobs[order[i], 2]
            )
            end += jobs[order[i], 0]
    return best, at


@njit(cache=True)
def in_matrix(matrix, order, count, row):  # type: ignore[no-untyped-def]
    """Return the best place of a row, and minus the sum above the diagonal."""
    value = 0
    for i in range(count):
        value -= matrix[row, order[i]]
        for k in range(i + 1, count):
            value -= matrix[order[i], order[k]]
    best, at = value, 0
    for i in range(count):
        value += matrix[row, order[i]] - matrix[order[i], row]
        if value < best:
            best, at = value, i + 1
    return best, at


@njit(cache=True)
def _put(order, count, at, item):  # type: ignore[no-untyped-def]
    """Put an item before place `at` of the first `count`."""
    for i in range(count, at, -1):
        order[i] = order[i - 1]
    order[at] = item


@njit(cache=True)
def _take(order, count, at):  # type: ignore[no-untyped-def]
    """Take the item at a place out of the first `count`, and return it."""
    item = order[at]
    for i in range(at, count - 1):
        order[i] = order[i + 1]
    return item


@njit(cache=True)
def _improve(place, data, order, value):  # type: ignore[no-untyped-def]
    """Put each item where it costs least until nothing is gained."""
    better = True
    while better:
        better = False
        for item in np.random.permutation(len(order)):
            at = np.where(order == item)[0][0]
            _take(order, len(order), at)
            found, to = place(data, order, len(order) - 1, item)
            if found < value:
                value, at, better = found, to, True
            _put(order, len(order) - 1, at, item)
    return value


@njit(cache=True)
def _begin(place, data, seed):  # type: ignore[no-untyped-def]
    """Return a first order, of which the items with the most come first, and its cost."""
    np.random.seed(seed)
    order, value = np.zeros(len(data), np.int64), 0
    for count, item in enumerate(np.argsort(-data.sum(axis=1), kind="mergesort")):
        value, at = place(data, order, count, item)
        _put(order, count, at, item)
    return order, _improve(place, data, order, value)


@njit(cache=True)
def _go_on(place, data, temperature, order, value, best):  # type: ignore[no-untyped-def]
    """Change the order, and return its cost and the least one."""
    size = len(order)
    for _ in range(ROUNDS):
        other = order.copy()
        gone = [_take(other, size - i, np.random.randint(size - i)) for i in range(TAKEN)]
        found = 0
        for i in range(TAKEN):
            found, at = place(data, other, size - TAKEN + i, gone[i])
            _put(other, size - TAKEN + i, at, gone[i])
        found = _improve(place, data, other, found)
        if found <= value or np.random.random() < math.exp((value - found) / temperature):
            order[:], value = other, found
        best = min(best, value)
    return value, best

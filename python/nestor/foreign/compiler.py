"""From the methods of a class to native functions of the C interface, with Numba.

Each method becomes a function with the C calling convention, whose body is the method in a ``try``:
an exception is a status. The types of ``self``, of the state and of ``out`` are made here, so that
methods look like the ones that the twin runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.extending import (
    intrinsic,
    lower_setattr,
    make_attribute_wrapper,
    models,
    overload_method,
    register_model,
)
from numba.np import arrayobj

from nestor.foreign.methods import METHODS, Method, Shape, methods_of
from nestor.objectives import MORE_PARTS


class MovesType(types.Type):
    """The type of ``out``: where moves go."""

    def __init__(self, dense: bool, used: set[str]) -> None:
        # Numba takes types of one name for one type: each class has its own, and says what it uses.
        super().__init__(name=f"Moves[{id(self)}]")
        self.dense, self.used = dense, used


@register_model(MovesType)
class _MovesModel(models.StructModel):
    def __init__(self, manager: Any, kind: MovesType) -> None:
        pointer = types.CPointer
        members = [
            ("moves", pointer(types.int64)),
            ("dense", pointer(types.uint32)),
            ("codes", pointer(types.uint64)),
            ("biases", pointer(types.float64)),
            ("room", types.int64),
            ("count", pointer(types.int64)),
        ]
        super().__init__(manager, kind, members)


@intrinsic
def _push(typing: Any, out: Any, move: Any, code: Any, bias: Any) -> Any:
    """Write a move, unless there is no room for it, and count it."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        given = cgutils.create_struct_proxy(out)(context, builder, values[0])
        place = builder.load(given.count)
        builder.store(builder.add(place, place.type(1)), given.count)
        with builder.if_then(builder.icmp_unsigned("<", place, given.room), likely=True):

            def put(pointer: Any, value: Any) -> None:
                builder.store(value, builder.gep(pointer, [place]))

            put(given.moves, values[1])
            if out.dense:
                most = values[2].type(0xFFFFFFFF)
                small = builder.icmp_unsigned("<", values[2], most)
                clipped = builder.select(small, values[2], most)
                put(given.dense, builder.trunc(clipped, cgutils.int32_t))
            else:
                put(given.codes, values[2])
            with builder.if_then(cgutils.is_not_null(builder, given.biases)):
                put(given.biases, values[3])
        return context.get_dummy_value()

    signature = types.void(out, types.int64, types.uint64, types.float64)
    return signature, generate


@overload_method(MovesType, "add", strict=False)
def _add(out: Any, move: Any, code: Any = None, bias: Any = 0.0) -> Any:
    whole = types.Integer, types.IntegerLiteral
    if not isinstance(move, whole):
        raise numba.TypingError(f"out.add takes a whole number as the move, not {move}")
    if not isinstance(bias, float | types.Omitted):
        out.used.add("bias")
    if code is None or isinstance(code, types.Omitted | types.NoneType):
        return lambda out, move, code=None, bias=0.0: _push(out, move, np.uint64(move), bias)
    if not isinstance(code, whole):
        raise numba.TypingError(f"out.add takes a whole number as the code, not {code}")
    return lambda out, move, code=None, bias=0.0: _push(out, move, np.uint64(code), bias)


def _natives(this: Any, shape: Shape, used: set[str]) -> dict[str, Any]:
    """Return the functions that the body of a native function calls."""
    listing = MovesType(shape.dense, used)
    return {
        "moves_at": _made_at(listing, _moves),
        "finish": _finish(listing),
        "store_float64": _store(types.float64, types.Integer | types.Float, shape.parts),
        "store_int64": _store(types.int64, types.Integer),
        "state_at": _made_at(numba.from_dtype(shape.state), _state),
        "self_at": _made_at(this, _self),
    }


def _words_at(builder: Any, pointer: Any) -> Any:
    """Generate what is at a pointer, as words."""
    return builder.bitcast(pointer, cgutils.intp_t.as_pointer())


def _word(builder: Any, words: Any, number: int) -> Any:
    """Generate one of some words."""
    return builder.load(builder.gep(words, [cgutils.intp_t(number)]))


def _made_at(kind: Any, make: Callable[..., Any]) -> Any:
    """Return the function that makes something of a kind of where it is."""

    @intrinsic
    def made_at(typing: Any, pointer: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return make(context, builder, values[0], kind)

        return kind(types.voidptr), generate

    return made_at


def _moves(context: Any, builder: Any, pointer: Any, listing: MovesType) -> Any:
    """Generate ``out`` of where the core wants moves."""
    made = cgutils.create_struct_proxy(listing)(context, builder)
    words = _words_at(builder, pointer)
    for number, name in enumerate(("moves", "dense", "codes", "biases")):
        kind = getattr(made, name).type
        setattr(made, name, builder.inttoptr(_word(builder, words, number), kind))
    made.room = _word(builder, words, 4)
    # A count of its own stays in a register.
    made.count = cgutils.alloca_once_value(builder, cgutils.intp_t(0))
    return made._getvalue()


def _finish(listing: MovesType) -> Any:
    """Return the function that tells the core how many moves there are."""

    @intrinsic
    def finish(typing: Any, pointer: Any, out: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            made = cgutils.create_struct_proxy(listing)(context, builder, values[1])
            place = builder.gep(_words_at(builder, values[0]), [cgutils.intp_t(5)])
            builder.store(builder.load(made.count), place)
            return context.get_dummy_value()

        return types.void(types.voidptr, listing), generate

    return finish


def _store(kind: Any, wanted: Any, parts: int = 0) -> Any:
    """Return the function that writes a number, or each part of a score, where the core wants it.

    Parameters
    ----------
    kind : type of Numba
        The type of the number there.
    wanted : class, or union of classes
        The types from which it may be made, besides truth values.
    parts : int, default 0
        How many numbers a tuple has; 0 for one number and no tuple.
    """
    what = "a whole number" if kind is types.int64 else "a number"
    if parts:
        what = f"a tuple of {parts} numbers, since the problem has objectives"

    @intrinsic
    def store(typing: Any, pointer: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            place = builder.bitcast(values[0], context.get_value_type(kind).as_pointer())
            for number, given in enumerate(kinds):
                part = builder.extract_value(values[1], number) if parts else values[1]
                part = context.cast(builder, part, given, kind)
                builder.store(part, builder.gep(place, [cgutils.intp_t(number)]))
            return context.get_dummy_value()

        if isinstance(value, types.NoneType | types.Optional):
            ends = "" if value is types.none else " at one of its ends"
            raise numba.TypingError(f"it must return {what}, but returns nothing{ends}")
        is_tuple = isinstance(value, types.BaseTuple)
        kinds = [*value] if is_tuple else [value]
        right = all(isinstance(each, wanted | types.Boolean) for each in kinds)
        if not right or is_tuple != (parts > 0) or len(kinds) != max(1, parts):
            hint = f": {MORE_PARTS}" if 0 < parts < len(kinds) else ""
            raise numba.TypingError(f"it must return {what}, not {value}{hint}")
        return types.void(types.voidptr, value), generate

    return store


def _state(context: Any, builder: Any, pointer: Any, record: Any) -> Any:
    """Generate a state of where it is."""
    return builder.bitcast(pointer, context.get_value_type(record))


def _self(context: Any, builder: Any, pointer: Any, this: Any) -> Any:
    """Generate ``self`` of where its attributes are."""
    words = _words_at(builder, pointer)
    made = cgutils.create_struct_proxy(this)(context, builder)
    place = 0
    for name, kind in this.fields:
        ndim = getattr(kind, "ndim", 0)
        parts = [_word(builder, words, place + i) for i in range(1 + ndim)]
        place += 1 + ndim
        build = _array if ndim else _number
        setattr(made, name, build(context, builder, kind, *parts))
    return made._getvalue()


def _number(context: Any, builder: Any, kind: Any, word: Any) -> Any:
    """Generate the number that a word has."""
    if isinstance(kind, types.Float):
        return builder.bitcast(word, context.get_value_type(kind))
    if isinstance(kind, types.Boolean):
        return builder.trunc(word, context.get_value_type(kind))
    return word


def _array(context: Any, builder: Any, kind: Any, start: Any, *sizes: Any) -> Any:
    """Generate an array from its address and its sizes."""
    array = context.make_array(kind)(context, builder)
    itemsize = cgutils.intp_t(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [itemsize]
    for size in reversed(sizes[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    arrayobj.populate_array(
        array,
        data=builder.inttoptr(start, array.data.type),
        shape=sizes,
        strides=strides,
        itemsize=itemsize,
        meminfo=None,
    )
    return array._getvalue()


def _type_of(kind: str, dimensions: int) -> Any:
    element = numba.from_dtype(np.dtype(kind))
    return types.Array(element, dimensions, "C", readonly=True) if dimensions else element


def _self_type(rules: type, shape: Shape) -> Any:
    """Return the type of ``self``: its attributes, and its methods."""
    fields = [(name, _type_of(kind, ndim)) for name, kind, ndim in shape.fields]

    class Self(types.Type):
        def __init__(self) -> None:
            super().__init__(name=f"{rules.__qualname__}[{id(self)}]")
            self.fields = fields

    @register_model(Self)
    class Model(models.StructModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, fields)

    for name, _ in fields:
        make_attribute_wrapper(Self, name, name)
        lower_setattr(Self, name)(_refuse)
    options = {"boundscheck": shape.checked, "forceinline": True}
    for name, method in methods_of(rules).items():
        overload_method(Self, name, strict=False, jit_options=options)(_chooser(method))
    return Self()


def _refuse(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """Stop at an assignment to an attribute of ``self``, which Numba finds only when generating."""
    raise numba.core.errors.LoweringError("Cannot set an attribute of self")


def _chooser(method: FunctionType) -> Any:
    """Return what Numba asks for a method: a function with its arguments, which returns it."""
    scope = {"method": method}
    arguments = ", ".join(inspect.signature(method).parameters)
    exec(f"def chooser({arguments}): return method", scope)
    return scope["chooser"]


VALUES = {"s": "state_at(s_p)", "rest": "state_at(rest_p)", "move": "move", "out": "out"}
"""How a native function makes what the method takes."""


def _arguments(method: Method) -> list[str]:
    """Return what the native function of a method takes after its ``self``."""
    taken = [name if name == "move" else f"{name}_p" for name in method.takes]
    return [*taken, "value_p"] if method.gives else taken


def _source(name: str, key: str) -> str:
    """Return the native function of a method, as Python."""
    method = METHODS[name]
    body = f"{name}({', '.join(('this', *(VALUES[each] for each in method.takes)))})"
    if method.gives:
        body = f"store_{method.gives}(value_p, {body})"
    if "out" in method.takes:
        body = f"out = moves_at(out_p); {body}; finish(out_p, out)"
    return f"""\
def native_{key[:16]}({", ".join(("self_p", *_arguments(method)))}):
    try:
        this = self_at(self_p)
        {body}
    except Exception:
        return failed
    return fine
"""


def compile_methods(
    rules: type, names: list[str], shape: Shape, key: str
) -> tuple[dict[str, Any], bool]:
    """Compile methods of a class.

    Returns
    -------
    natives : dict
        For each method the name of its native function and the object code.
    biased : bool
        Whether moves are added with a bias.
    """
    used: set[str] = set()
    this = _self_type(rules, shape)
    known = _natives(this, shape, used)
    known |= {"fine": np.int32(0), "failed": np.int32(1)}
    natives = {}
    for name in names:
        method = methods_of(rules)[name]
        inner = numba.njit(boundscheck=shape.checked, forceinline=True)(method)
        scope = known | {name: inner, "__name__": "nestor.compiled"}
        exec(compile(_source(name, key), f"<nestor {rules.__qualname__}.{name}>", "exec"), scope)
        kinds = [types.int64 if p == "move" else types.voidptr for p in _arguments(METHODS[name])]
        signature = types.int32(types.voidptr, *kinds)
        made = numba.cfunc(signature)(scope[f"native_{key[:16]}"])
        natives[name] = made._wrapper_name, made._library.serialize_using_object_code()
    return natives, "bias" in used


def load(native: tuple[str, Any]) -> tuple[int, Any]:
    """Return the address of a native function, and what keeps it in memory."""
    name, code = native
    # Code that makes arrays needs it, and only a compilation starts it by itself.
    rtsys.initialize(cpu_target.target_context)
    library = cpu_target.target_context.codegen().unserialize_library(code)
    return library.get_pointer_to_function(name), library

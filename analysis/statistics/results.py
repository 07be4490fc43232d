"""What every result has in common: frozen, read-only, one-line signature, JSON-safe dictionary."""

import copyreg
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
_Scalar = TypeVar("_Scalar", bound=np.generic)
_Value = TypeVar("_Value")


class DegenerateDataWarning(UserWarning):
    """The data leave a procedure nothing to work with; the message says what was returned."""


@dataclass(frozen=True, slots=True, eq=False)
class Result(ABC):
    """Base of all results."""

    @property
    @abstractmethod
    def signature(self) -> str:
        """One line from which the result can be repeated."""

    def to_dict(self) -> dict[str, JsonValue]:
        """Return all attributes and the signature as JSON-safe values (NaN and ±inf: None)."""
        values = {field.name: to_plain(getattr(self, field.name)) for field in fields(self)}
        return values | {"signature": self.signature}


def to_plain(value: object) -> JsonValue:
    """Turn arrays, mappings and numpy scalars into JSON-safe values (not finite: None)."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    raise TypeError(f"`value` of type {type(value).__name__} has no JSON form.")


def read_only(array: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """Lock an array that a result is about to give out."""
    array.setflags(write=False)
    return array


def read_only_mapping(values: Mapping[str, _Value]) -> Mapping[str, _Value]:
    """Give out a mapping that cannot be changed."""
    return MappingProxyType(dict(values))


def _unproxied(values: MappingProxyType[Any, Any]) -> tuple[Any, ...]:
    return read_only_mapping, (dict(values),)


copyreg.pickle(MappingProxyType, _unproxied)  # answers go from one process to another

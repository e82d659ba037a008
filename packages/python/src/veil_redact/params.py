# Made from openapi.json by scripts/generate.py; change nothing here.

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from typing_extensions import NotRequired

Category: TypeAlias = Literal[
    "heads",
    "license_plates",
    "screens",
    "writing",
    "street_signs",
    "id_cards",
    "passports",
    "credit_cards",
    "name_badges",
    "qr_codes",
    "barcodes",
    "documents",
    "tattoos",
]


Corner: TypeAlias = Sequence[float]


Sensitivity: TypeAlias = Literal["low", "normal", "high"]


Audio: TypeAlias = Literal["keep", "mute", "mute_speech"]


class BoxParam(TypedDict):
    """Fractions 0…1 of the picture as a person sees it, from the left and the top. The box of a video's detection holds all its keyframes."""

    x: float
    """Left edge, as a fraction of the picture's width."""
    y: float
    """Top edge, as a fraction of the picture's height."""
    width: float
    """Width, as a fraction of the picture's width."""
    height: float
    """Height, as a fraction of the picture's height."""


class KeyframeParam(TypedDict):
    time_seconds: float
    """The time in seconds from the first frame shown."""
    box: BoxParam


class RegionParam(TypedDict):
    """An area of the picture as a person sees it, in fractions 0…1 from the left and the top: a box, or a polygon of 3 to 64 corners, whose convex hull is hidden. Regions of videos can have a start and an end, and keyframes instead of a box; the box moves at constant speed from one keyframe to the next."""

    category: NotRequired[Category]
    reason: NotRequired[str | None]
    """Why it is hidden: a code of the account's list of reasons, or null for none. By default, that of its category. Not for `ignore_regions`."""
    box: NotRequired[BoxParam]
    polygon: NotRequired[Sequence[Corner]]
    """The area, if it is a polygon: corners [x, y] in fractions. Its convex hull is hidden."""
    start_seconds: NotRequired[float]
    """Videos only: when it begins, in seconds from the first frame shown. By default at the start."""
    end_seconds: NotRequired[float]
    """Videos only: when it ends, in seconds. By default at the end of the video."""
    keyframes: NotRequired[Sequence[KeyframeParam]]
    """Videos only: a box that moves. It moves at constant speed from one keyframe to the next."""


class MuteRangeParam(TypedDict):
    start_seconds: float
    """When it begins, from the first frame shown."""
    end_seconds: float
    """When it ends."""
    sound: NotRequired[Literal["silence", "tone"]]
    """What is heard instead. Vorbis audio becomes silent in both cases. `silence` unless given."""

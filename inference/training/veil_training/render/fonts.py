"""Discovery of the fonts that happen to be installed; none is shipped."""

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFont

DEFAULT_FONT_DIRS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts")
HELD_OUT_SHARE = 8
"""One family in this many is kept for rendered evaluation sets."""

SCRIPTS: dict[str, tuple[int, int]] = {
    "cjk": (0x4E00, 0x7FFF),
    "arabic": (0x0627, 0x064A),
    "devanagari": (0x0905, 0x0939),
    "thai": (0x0E01, 0x0E2E),
    "hebrew": (0x05D0, 0x05EA),
    "cyrillic": (0x0410, 0x044F),
    "greek": (0x03B1, 0x03C9),
    "hangul": (0xAC00, 0xD7A3),
    "kana": (0x30A2, 0x30F3),
}
"""Code points drawn at random for each script; letters, not words."""

UNSUITABLE = ("symbol", "dingbat", "emoji", "math", "hairline", "icon", "standardsym", "d050000l")


@lru_cache(maxsize=1500)
def _font(path: str, size_px: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size_px)


def glyph_mask(string: str, font: str, size_px: float) -> np.ndarray:
    """Ink coverage uint8 [h, w] of a line of text, tight around the ink."""
    face = _font(font, max(5, int(size_px)))
    x0, y0, x1, y1 = (int(v) for v in face.getbbox(string))
    if x1 - x0 <= 0 or y1 - y0 <= 0:
        return np.zeros((3, 3), np.uint8)
    image = Image.new("L", (x1 - x0 + 2, y1 - y0 + 2))
    ImageDraw.Draw(image).text((1 - x0, 1 - y0), string, fill=255, font=face)
    return np.asarray(image)


@dataclass
class FontLibrary:
    """Paths of usable fonts by role. `scripts` maps a key of SCRIPTS to fonts that hold it."""

    latin: list[str] = field(default_factory=list)
    bold: list[str] = field(default_factory=list)
    mono: list[str] = field(default_factory=list)
    cursive: list[str] = field(default_factory=list)
    scripts: dict[str, list[str]] = field(default_factory=dict)

    def foreign(self, rng: Random, length: int) -> tuple[str, str]:
        """A random string in a non-Latin script and a font that can draw it."""
        known = sorted(k for k, v in self.scripts.items() if v)
        if not known:
            return "".join(rng.choice("ABCDEFGHKLMNPRSTUVXYZ") for _ in range(length)), rng.choice(self.latin)
        script = rng.choice(known)
        low, high = SCRIPTS[script]
        spaced = script not in ("cjk", "kana", "hangul")
        letters = (" " if spaced and i and rng.random() < 0.15 else chr(rng.randint(low, high)) for i in range(length))
        return "".join(letters), rng.choice(self.scripts[script])


def _draws(face: ImageFont.FreeTypeFont, characters: str) -> bool:
    blank = bytes(face.getmask("\U0010fffe"))
    masks = [bytes(face.getmask(c)) for c in characters]
    return all(any(m) and m != blank for m in masks) and len(set(masks)) == len(masks)


def is_held_out(path: str) -> bool:
    """Whether the family of a font file is kept for rendered evaluation sets (by hash of its name)."""
    family = Path(path).stem.split("-")[0].lower()
    return int(hashlib.sha256(family.encode()).hexdigest(), 16) % HELD_OUT_SHARE == 0


def discover(directories: tuple[str, ...] = DEFAULT_FONT_DIRS, held_out: bool = False) -> FontLibrary:
    """Reads the font folders and sorts what they hold.

    `held_out` picks the families never used for training instead of the others. Raises
    FileNotFoundError when no Latin font is left.
    """
    files = sorted(p for d in directories for p in Path(d).rglob("*") if p.suffix.lower() in (".ttf", ".otf", ".ttc"))
    library = FontLibrary(scripts={name: [] for name in SCRIPTS})
    for path in files:
        name = path.name.lower()
        if any(word in name for word in UNSUITABLE) or is_held_out(str(path)) != held_out:
            continue
        try:
            face = ImageFont.truetype(str(path), 16)
            _sort_in(library, face, str(path), name)
        except (OSError, ValueError):
            continue
    if not library.latin:
        raise FileNotFoundError(f"no usable font under {', '.join(directories)}")
    library.bold = library.bold or library.latin
    library.mono = library.mono or library.latin
    library.cursive = library.cursive or library.latin
    return library


def _sort_in(library: FontLibrary, face: ImageFont.FreeTypeFont, path: str, name: str) -> None:
    for script, (low, high) in SCRIPTS.items():
        probe = "".join(chr(low + (high - low) * k // 5) for k in (1, 2, 4))
        if _draws(face, probe):
            library.scripts[script].append(path)
    if not _draws(face, "AaGgZz059&"):
        return
    library.latin.append(path)
    if any(word in name for word in ("bold", "black", "demi", "heavy", "medium")):
        library.bold.append(path)
    if any(word in name for word in ("mono", "ocr", "courier", "nimbusmono", "inconsolata", "typewriter")):
        library.mono.append(path)
    if any(word in name for word in ("italic", "oblique", "z003", "script", "chancery", "hand", "cursive")):
        library.cursive.append(path)

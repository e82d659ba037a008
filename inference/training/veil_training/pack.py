"""State for a host without network: code, checkpoint, photos and fonts in archive parts of bounded size."""

import io
import json
import tarfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .render.fonts import FontLibrary, discover

MIB = 1 << 20
OVERHEAD_MIB = 4
"""Room for the manifest and the findings."""

CHECKPOINT_FILES = ("checkpoint.pt", "log.jsonl")


@dataclass(frozen=True)
class PackSettings:
    """What to take. `limit_mib` bounds all parts together, `part_mib` each of them.

    state_only: the checkpoint and log alone, to bring back from such a host.
    """

    data: Path
    manifest: Path
    run_dir: Path
    fonts: tuple[str, ...]
    out: Path
    limit_mib: int = 60
    part_mib: int = 15
    font_mib: int = 8
    state_only: bool = False


def _chosen_fonts(library: FontLibrary, rng: Random, limit_bytes: int) -> list[Path]:
    """Fonts of every role in turn, the small ones of each script first, until the limit."""
    groups = [sorted(set(g)) for g in (library.latin, library.bold, library.mono, library.cursive)]
    for group in groups:
        rng.shuffle(group)
    groups += [sorted(set(g), key=lambda p: Path(p).stat().st_size) for g in library.scripts.values()]
    chosen: dict[str, int] = {}
    for rank in range(max(len(g) for g in groups)):
        for group in groups:
            if rank < len(group) and group[rank] not in chosen:
                size = Path(group[rank]).stat().st_size
                if sum(chosen.values()) + size <= limit_bytes:
                    chosen[group[rank]] = size
    return [Path(p) for p in chosen]


def _add_text(archive: tarfile.TarFile, name: str, text: str) -> None:
    content = text.encode()
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def _photo_rows(settings: PackSettings, room: int) -> list[dict]:
    """Training photos in a random order as long as they fit into `room` bytes, with their teachers' findings."""
    rows = [json.loads(line) for line in settings.manifest.read_text().splitlines()]
    rows = [r for r in rows if r.get("part") == "train"]
    Random(0).shuffle(rows)
    chosen = []
    for row in rows:
        room -= (settings.data / row["file"]).stat().st_size + 1024
        if room < 0:
            break
        chosen.append(row)
    return chosen


def _add_sources(settings: PackSettings, archive: tarfile.TarFile, buffer: io.BytesIO) -> None:
    """Code with the labels set by eye, fonts, and as many photos with their findings as there is room for."""
    package = Path(__file__).parent
    for source in sorted([*package.rglob("*.py"), *package.glob("by_eye/**/*.jsonl")]):
        archive.add(source, f"veil_training/{source.relative_to(package)}")
    for font in _chosen_fonts(discover(settings.fonts), Random(0), settings.font_mib * MIB):
        archive.add(font, f"fonts/{font.name}")
    room = settings.limit_mib * MIB - buffer.tell() - OVERHEAD_MIB * MIB
    if room < 0:
        raise ValueError(f"{buffer.tell() / MIB:.0f} MiB without any photo; the limit is {settings.limit_mib}")
    rows = _photo_rows(settings, room)
    for row in rows:
        archive.add(settings.data / row["file"], f"photos/{row['file']}")
    _add_text(archive, "photos/manifest.jsonl", "".join(json.dumps(r) + "\n" for r in rows))
    _add_text(archive, "run/pseudo_labels.jsonl", _findings(settings, {r["file"] for r in rows}))


def pack(settings: PackSettings) -> list[Path]:
    """Writes `<out>.000`, `<out>.001`, …; returns their paths.

    Raises ValueError when code, checkpoint and fonts alone are too large.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in CHECKPOINT_FILES:
            if (settings.run_dir / name).exists():
                archive.add(settings.run_dir / name, f"run/{name}")
        if not settings.state_only:
            _add_sources(settings, archive, buffer)
    content = buffer.getvalue()
    parts = []
    for index, start in enumerate(range(0, len(content), settings.part_mib * MIB)):
        part = settings.out.with_name(f"{settings.out.name}.{index:03d}")
        part.write_bytes(content[start : start + settings.part_mib * MIB])
        parts.append(part)
    return parts


def _findings(settings: PackSettings, files: set[str]) -> str:
    path = settings.run_dir / "pseudo_labels.jsonl"
    if not path.exists():
        return ""
    return "".join(line + "\n" for line in path.read_text().splitlines() if json.loads(line)["file"] in files)


def unpack(parts: list[Path], folder: Path) -> None:
    """Joins parts in the order of their names and extracts them into a folder."""
    joined = io.BytesIO(b"".join(p.read_bytes() for p in sorted(parts)))
    with tarfile.open(fileobj=joined) as archive:
        archive.extractall(folder, filter="data")

"""The background process that fills the pool with fresh samples while training goes on."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import cv2

from .manifest import read_manifest, with_labels_by_eye
from .photo_samples import PhotoLibrary, borrow_photos, borrow_portraits
from .render.fonts import discover
from .render.scene import compose, plain_background
from .render.studio import Studio
from .sample import Sample
from .shards import write_shard

PHOTO_SHARE = 0.5
"""Share of samples that are crops of photos without anything added."""

PLAIN_SHARE = 0.15
"""Share of composites on a drawn instead of a photographed background."""

BORROWED = 250


@dataclass(frozen=True)
class RenderSettings:
    """Input and output paths and sizes. `sample_side` is in pixels.

    source_weights: factors by which photos of a source are drawn more often than others; 1 by default.
    """

    data: Path
    manifest: Path
    findings: Path
    pool: Path
    fonts: tuple[str, ...]
    sample_side: int = 384
    samples_per_shard: int = 256
    source_weights: dict[str, float] = field(default_factory=dict)


class SampleSource:
    """Draws samples: crops of photos and composites."""

    def __init__(self, settings: RenderSettings, seed: int):
        self.rng, self.side = Random(seed), settings.sample_side
        photos = with_labels_by_eye(read_manifest(settings.manifest, "train"))
        self.library = PhotoLibrary(photos, settings.data, settings.findings, settings.source_weights)
        self.fonts = discover(settings.fonts)
        self.studio = Studio(self.rng, self.fonts)
        self.photo_count = 0

    def refresh(self) -> None:
        """Takes in new pseudo-labels and borrows new portraits and pictures."""
        self.photo_count = self.library.refresh()
        if self.photo_count:
            self.studio.portraits = borrow_portraits(self.library, self.rng, BORROWED)
            self.studio.photos = borrow_photos(self.library, self.rng, BORROWED)

    def draw(self) -> Sample:
        """One sample."""
        if self.photo_count and self.rng.random() < PHOTO_SHARE:
            return self.library.draw_crop(self.rng, self.side)
        return compose(self.studio, self._background())

    def _background(self) -> Sample:
        if not self.photo_count or self.rng.random() < PLAIN_SHARE:
            return plain_background(self.rng, self.side)
        whole = self.rng.random() < 0.25
        return self.library.draw_crop(self.rng, self.side, whole, without_writing=True)


def render_forever(
    settings: RenderSettings, worker: int, may_render: Callable[[], bool], stop: Callable[[], bool]
) -> None:
    """Writes numbered shards whenever `may_render` says there is room, until `stop`.

    Names are `<milliseconds>_<worker>.npz`, so that they sort by age and never collide.
    """
    cv2.setNumThreads(1)
    seed = time.time_ns() ^ (worker << 48)
    source = SampleSource(settings, seed)
    while not stop():
        if not may_render():
            time.sleep(1)
            continue
        source.refresh()
        samples = [source.draw() for _ in range(settings.samples_per_shard)]
        write_shard(settings.pool / f"{time.time_ns() // 1_000_000:015d}_{worker}.npz", samples)

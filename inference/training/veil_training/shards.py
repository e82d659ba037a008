"""Files of samples: JPEG pixels and flat label arrays, no pickles, readable in one gulp."""

import os
from pathlib import Path

import cv2
import numpy as np

from .categories import DETECTED
from .sample import Sample

JPEG_QUALITY = 95


def write_shard(path: Path, samples: list[Sample]) -> None:
    """Writes samples to an .npz file; it appears under its name only when complete."""
    blobs = []
    for sample in samples:
        bgr = cv2.cvtColor(sample.image, cv2.COLOR_RGB2BGR)
        blobs.append(cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].reshape(-1))
    box_counts = [len(s.boxes) for s in samples]
    line_counts = [len(s.lines) for s in samples]
    partial = path.with_suffix(".partial")
    with partial.open("wb") as sink:
        np.savez(
            sink,
            pixels=np.concatenate(blobs),
            pixel_ends=np.cumsum([len(b) for b in blobs]),
            boxes=np.concatenate([s.boxes for s in samples]).astype(np.float32),
            labels=np.concatenate([s.labels for s in samples]).astype(np.int16),
            ignored=np.concatenate([s.ignored for s in samples]),
            box_ends=np.cumsum(box_counts),
            lines=np.concatenate([s.lines for s in samples]).astype(np.float32),
            lines_ignored=np.concatenate([s.lines_ignored for s in samples]),
            line_ends=np.cumsum(line_counts),
            negative_weight=np.stack([s.negative_weight for s in samples]).astype(np.float32),
        )
    os.replace(partial, path)


class Shard:
    """A shard in memory; samples are decoded on demand."""

    def __init__(self, path: Path):
        self.path = path
        with np.load(path) as arrays:
            self.arrays = {name: arrays[name] for name in arrays.files}
        if self.arrays["negative_weight"].shape[1] != len(DETECTED):
            raise ValueError(f"{path} was written for another set of categories")

    def __len__(self) -> int:
        return len(self.arrays["pixel_ends"])

    def _slice(self, ends: str, index: int) -> slice:
        limits = self.arrays[ends]
        return slice(int(limits[index - 1]) if index else 0, int(limits[index]))

    def sample(self, index: int) -> Sample:
        """The sample at a position."""
        a = self.arrays
        boxes, lines = self._slice("box_ends", index), self._slice("line_ends", index)
        bgr = cv2.imdecode(a["pixels"][self._slice("pixel_ends", index)], cv2.IMREAD_COLOR)
        return Sample(
            cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB),
            a["boxes"][boxes],
            a["labels"][boxes].astype(np.int64),
            a["ignored"][boxes],
            a["lines"][lines],
            a["lines_ignored"][lines],
            a["negative_weight"][index],
        )

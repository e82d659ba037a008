"""Pictures for the eye and figures for the clock."""

import time
from pathlib import Path
from random import Random

import cv2
import numpy as np

from .categories import DETECTED
from .decode import session
from .sample import Sample
from .shards import Shard

LABEL_HUES = np.linspace(0, 179, len(DETECTED), endpoint=False).astype(np.uint8)
PALETTE = cv2.cvtColor(np.stack([LABEL_HUES, *[np.full_like(LABEL_HUES, 255)] * 2], 1)[None], cv2.COLOR_HSV2RGB)[0]
SPEED_CASES = ((1, 704, 1280), (4, 704, 1280), (16, 704, 1280), (1, 576, 1024), (1, 192, 320))


def drawn(sample: Sample) -> np.ndarray:
    """The sample's picture with its labels: boxes by category, ignored ones thin, text lines white or grey."""
    image = sample.image.copy()
    for line, ignored in zip(sample.lines, sample.lines_ignored, strict=True):
        cv2.polylines(image, [np.int32(line)], True, (90, 90, 90) if ignored else (255, 255, 255), 1)
    for box, label, ignored in zip(sample.boxes, sample.labels, sample.ignored, strict=True):
        colour = tuple(int(v) for v in PALETTE[label])
        x0, y0, x1, y1 = (int(v) for v in box)
        cv2.rectangle(image, (x0, y0), (x1, y1), colour, 1 if ignored else 2)
        name = DETECTED[label] + (" ?" if ignored else "")
        cv2.putText(image, name, (x0 + 2, y0 + 10), cv2.FONT_HERSHEY_SIMPLEX, 0.35, colour, 1)
    return image


def contact_sheet(pool: Path, out: Path, columns: int, rows: int, seed: int) -> None:
    """Random samples of a pool side by side as one picture."""
    rng = Random(seed)
    shards = [Shard(p) for p in rng.sample(sorted(pool.glob("*.npz")), 1)]
    samples = [rng.choice(shards).sample(rng.randrange(len(shards[0]))) for _ in range(columns * rows)]
    pictures = [drawn(s) for s in samples]
    sheet = np.concatenate([np.concatenate(pictures[r * columns : (r + 1) * columns], 1) for r in range(rows)], 0)
    cv2.imwrite(str(out), cv2.cvtColor(sheet, cv2.COLOR_RGB2BGR))


def speed(model: Path, threads: int, repeats: int = 15) -> list[dict[str, float | int]]:
    """Median and fastest milliseconds an image for several input shapes, model warm."""
    run = session(model, threads)
    figures: list[dict[str, float | int]] = []
    for batch, height, width in SPEED_CASES:
        pixels = np.random.default_rng(0).uniform(0, 255, (batch, 3, height, width)).astype(np.float32)
        run.run(None, {"image": pixels})
        times = []
        for _ in range(repeats if batch == 1 else 4):
            started = time.perf_counter()
            run.run(None, {"image": pixels})
            times.append((time.perf_counter() - started) * 1000 / batch)
        median, fastest = round(float(np.median(times)), 1), round(min(times), 1)
        shape = {"batch": batch, "height": height, "width": width}
        figures.append({**shape, "median_ms": median, "fastest_ms": fastest})
    return figures

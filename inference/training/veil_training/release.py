"""Writes what the inference service loads: network, manifest and model card, side by side."""

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from .categories import CATEGORIES, DETECTED, STRIDES, TEXT_STRIDE, WRITING
from .checkpoint import averaged_model, save_weights
from .decode import (
    AGREEING_IOU,
    GROWTH,
    LARGE_FRAME_FROM_PX,
    LARGE_FROM_PX,
    LARGE_FROM_SIDE,
    LARGE_TEXT_FROM_PX,
    LOG_ODDS_PER_DOUBLING,
    LONE_SHARE,
    MIRRORED_UP_TO_PX,
    PADDING_LEVEL,
    SCORE_FLOOR,
    SIDE_MULTIPLE,
    SUPPRESSION_INSIDE,
    SUPPRESSION_IOU,
    TEXT_FAINT_THRESHOLD,
    TEXT_GROWTH,
    TEXT_MIN_CELLS,
    TEXT_MIN_GROWTH_PX,
    TEXT_SHIFT_PX,
    TEXT_THRESHOLD,
)
from .evaluate import CategoryResult, evaluate, markdown
from .export import OPSET, ExportReport, export_onnx
from .manifest import Photo, read_manifest

MODEL_ID = "veil-detector"
UNMEASURED_THRESHOLD = 0.4
THRESHOLD_LIMITS = (0.15, 0.8)
ENGULFING_TIMES = {"license_plates": 6, "qr_codes": 2}
"""A weaker plate so many times larger than a stronger one inside it is the car, a weaker code its package."""

LICENCE = "Apache-2.0"


@dataclass(frozen=True)
class ReleaseSettings:
    """Folders to measure on with their manifests, the training manifest (for the list of data) and where to write."""

    checkpoint: Path
    out: Path
    folders: tuple[tuple[Path, Path], ...]
    training_manifest: Path
    version: str
    weights_out: Path | None = None
    chosen: dict[str, float] = field(default_factory=dict)
    """Thresholds set by hand where the measured set misleads; the card names them."""


def _data_used(manifest: Path) -> list[dict[str, Any]]:
    """Sources of the training photos with their stated licences and counts."""
    rows = [json.loads(line) for line in manifest.read_text().splitlines()]
    counts = Counter((r["source"], r.get("licence") or "as listed with the data") for r in rows if r["part"] == "train")
    return [{"source": s, "licence": licence, "photos": n} for (s, licence), n in sorted(counts.items())]


def thresholds(figures: dict[str, CategoryResult]) -> dict[str, float]:
    """Each category's threshold, kept within sane limits; a fixed one where nothing was measured."""
    low, high = THRESHOLD_LIMITS
    return {
        name: round(min(high, max(low, figures[name].threshold)), 2) if name in figures else UNMEASURED_THRESHOLD
        for name in CATEGORIES
    }


def service_manifest(
    report: ExportReport, figures: dict[str, CategoryResult], version: str, training: dict[str, Any]
) -> dict[str, Any]:
    """The manifest in the inference service's format."""
    between = {"min_source_long_side": LARGE_TEXT_FROM_PX + 1, "max_source_long_side": LARGE_FROM_PX}
    return {
        "id": MODEL_ID,
        "version": version,
        "description": "Twelve categories by box and writing by map, in one network; see the card for its limits.",
        "file": f"{MODEL_ID}.onnx",
        "sha256": report.sha256,
        "licence": LICENCE,
        "card": f"{MODEL_ID}.md",
        "input": {
            "name": "image",
            "layout": "nchw",
            "channels": "rgb",
            "mean": [0, 0, 0],
            "std": [1, 1, 1],
            "pad_value": PADDING_LEVEL,
            "size_multiple": SIDE_MULTIPLE,
        },
        "scales": [
            {"long_side": 1280, "min_source_long_side": LARGE_FROM_PX + 1, "text": True},
            {"long_side": 1280, **between, "text": True, "boxes": False},
            {"long_side": 640, **between, "text": False},
            {"long_side": 640, "max_source_long_side": LARGE_TEXT_FROM_PX, "text": True},
            {"long_side": 320, "text": False},
            {"long_side": 192, "text": False},
        ],
        "frame_scales": [
            {"long_side": 1280, "min_source_long_side": LARGE_FRAME_FROM_PX + 1, "text": True},
            {"long_side": 640, "max_source_long_side": LARGE_FRAME_FROM_PX, "text": True},
            {"long_side": 320, "text": False},
            {"long_side": 192, "text": False},
        ],
        "tiling": {"min_source_long_side": 2400, "size": 1280, "overlap": 192, "text": True},
        "mirrored": {
            "max_source_long_side": MIRRORED_UP_TO_PX,
            "overlap": AGREEING_IOU,
            "lone_share": LONE_SHARE,
        },
        "outputs": {
            "kind": "dense_ltrb",
            "scores": "scores",
            "boxes": "boxes",
            "strides": list(STRIDES),
            "classes": list(DETECTED),
            "text": {
                "output": "text",
                "category": WRITING,
                "stride": TEXT_STRIDE,
                "cell_threshold": TEXT_THRESHOLD,
                "faint_cell_threshold": TEXT_FAINT_THRESHOLD,
                "min_cells": TEXT_MIN_CELLS,
                "growth": TEXT_GROWTH,
                "min_growth_pixels": TEXT_MIN_GROWTH_PX,
                "shift_pixels": TEXT_SHIFT_PX,
            },
        },
        "suppression": {
            "overlap": SUPPRESSION_IOU,
            "containment": SUPPRESSION_INSIDE,
            "engulfing": ENGULFING_TIMES,
        },
        "thresholds": thresholds(figures),
        "calibration": {"from_side": LARGE_FROM_SIDE, "log_odds_per_doubling": LOG_ODDS_PER_DOUBLING},
        "confidence_floor": SCORE_FLOOR,
        "growth": {name: dict.fromkeys(("left", "top", "right", "bottom"), share) for name, share in GROWTH.items()},
        "training": training,
    }


def card(
    report: ExportReport, figures: dict[str, CategoryResult], settings: ReleaseSettings, training: dict[str, Any]
) -> str:
    """The model card as Markdown."""
    millions = report.parameters / 1e6
    by_hand = ", ".join(f"{name} {value:g}" for name, value in settings.chosen.items())
    note = f"\nThresholds set by hand: {by_hand}.\n" if by_hand else ""
    return f"""# {MODEL_ID}

| | |
|---|---|
| File | `{MODEL_ID}.onnx`, fp32, opset {OPSET}, {millions:.2f} million parameters, {report.bytes / 1e6:.1f} MB |
| SHA-256 | `{report.sha256}` |
| Version | {settings.version}, {training["date"]} |
| License | {LICENCE} |
| Architecture | dense 3×3 residual network, strides 4 to 64, top-down pyramid, shared head; writing as a map |
| Training | {training["samples"]:,} crops from random initialization; `inference/training/README.md` has the recipe |
| Data | {sum(d["photos"] for d in training["data"]):,} openly licensed photos and scenes the training renders itself |

## Accuracy

Thresholds are the lowest ones with at most half a false box per photo. A target counts as covered when 90 % of it lies
under the predictions, enlarged by 10 %. Measured on {", ".join(training["measured_on"])}.

{markdown(figures)}
{note}"""


def release(settings: ReleaseSettings) -> dict[str, CategoryResult]:
    """Exports, measures, and writes network, manifest and card; returns the figures."""
    settings.out.mkdir(parents=True, exist_ok=True)
    model = averaged_model(settings.checkpoint)
    state = torch.load(settings.checkpoint, map_location="cpu", weights_only=True)
    report = export_onnx(model, settings.out / f"{MODEL_ID}.onnx")
    folders: list[tuple[Path, list[Photo]]] = [(d, read_manifest(m, "eval")) for d, m in settings.folders]
    figures = evaluate(settings.out / f"{MODEL_ID}.onnx", folders)
    training = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "steps": state["step"],
        "samples": state["samples"],
        "hours": round(state["seconds"] / 3600, 2),
        "recipe": "inference/training",
        "data": _data_used(settings.training_manifest),
        "measured_on": [_described(photos) for _, photos in folders],
    }
    manifest = service_manifest(report, figures, settings.version, training)
    manifest["thresholds"] |= settings.chosen
    (settings.out / f"{MODEL_ID}.json").write_text(json.dumps(manifest, indent=2) + "\n")
    (settings.out / f"{MODEL_ID}.md").write_text(card(report, figures, settings, training))
    if settings.weights_out:
        save_weights(settings.weights_out, model)
    return figures


def _described(photos: list[Photo]) -> str:
    rendered = all(p.source == "rendered" for p in photos)
    return f"{len(photos)} {'rendered scenes of held-out templates' if rendered else 'photos of part eval'}"

"""Features of proposals through the frozen backbone: computed once, so that heads train in minutes."""

from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import onnxruntime
import torch

from ..decode import session
from ..manifest import load_image
from .crops import CONTEXT, INPUT_PX, cut, relative, windows
from .export import OPSET
from .network import FeatureNetwork
from .proposals import Proposals

BATCH = 32
MOVED, SCALED = 0.05, 0.08
"""Standard deviations by which a training view moves a box, in shares of its longer side, and scales its sides'
logarithms."""
COARSE_SHARE = 0.2
"""Share of training views that are shown at a quarter to three quarters of their resolution."""
BRIGHTNESS, CONTRAST, TINT = 15.0, 0.2, 6.0
MAPS = ("pooled", "middle", "fine")
"""What the frozen network answers."""


@dataclass
class Features:
    """Of each proposal the pooled features [n, FEATURES] and the middle map [n, 112, 10, 10], in half precision; the
    box and the label's place as shares of the crop, [n, 4] each."""

    pooled: np.ndarray
    middle: np.ndarray
    boxes: np.ndarray
    places: np.ndarray

    def save(self, path: Path) -> None:
        """Writes them as an .npz."""
        np.savez(path, **{field.name: getattr(self, field.name) for field in fields(self)})

    @staticmethod
    def load(path: Path) -> "Features":
        """Reverse of `save`."""
        with np.load(path) as stored:
            return Features(*(stored[field.name] for field in fields(Features)))

    @staticmethod
    def joined(parts: "list[Features]") -> "Features":
        """Concatenates parts."""
        return Features(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Features)))


@dataclass
class SideFeatures(Features):
    """With the fine maps [n, 40, 20, 20], in half precision."""

    fine: np.ndarray


def pooled_features(path: Path) -> np.ndarray:
    """The pooled features [n, FEATURES] of a file that `Features.save` wrote, without its maps."""
    with np.load(path) as stored:
        return stored["pooled"]


@dataclass
class _View:
    """Boxes [n, 4] as they are shown, and which are mirrored [n]."""

    boxes: np.ndarray
    mirrored: np.ndarray


def _view_of(boxes: np.ndarray, rng: np.random.Generator | None) -> _View:
    if rng is None:
        return _View(boxes, np.zeros(len(boxes), bool))
    size = boxes[:, 2:] - boxes[:, :2]
    center = (boxes[:, 2:] + boxes[:, :2]) / 2 + rng.normal(0, MOVED, size.shape) * size.max(1)[:, None]
    size = size * np.exp(rng.normal(0, SCALED, size.shape))
    moved = np.concatenate([center - size / 2, center + size / 2], 1).astype(np.float32)
    return _View(moved, rng.random(len(boxes)) < 0.5)


def _seen_otherwise(crop: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if rng.random() < COARSE_SHARE:
        side = int(rng.integers(INPUT_PX // 4, INPUT_PX * 3 // 4))
        small = cv2.resize(np.ascontiguousarray(crop), (side, side), interpolation=cv2.INTER_AREA)
        crop = cv2.resize(small, (INPUT_PX, INPUT_PX))
    light = (crop.astype(np.float32) - 127) * np.exp(rng.normal(0, CONTRAST)) + 127
    return np.clip(light + rng.normal(0, BRIGHTNESS) + rng.normal(0, TINT, 3), 0, 255).astype(np.uint8)


@torch.no_grad()
def _feature_session() -> onnxruntime.InferenceSession:
    """The frozen network in ONNX Runtime, which computes it several times as fast as PyTorch on a CPU."""
    axes = {name: {0: "n"} for name in ("crops", "boxes", *MAPS)}
    example = torch.zeros(2, INPUT_PX, INPUT_PX, 3, dtype=torch.uint8), torch.tensor([[0.2, 0.2, 0.8, 0.8]] * 2)
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "features.onnx"
        torch.onnx.export(
            FeatureNetwork().eval(),
            example,
            str(path),
            opset_version=OPSET,
            input_names=["crops", "boxes"],
            output_names=list(MAPS),
            dynamic_axes=axes,
            dynamo=False,
        )
        return session(path, 1)


def features_for(proposals: Proposals, data: Path, seed: int | None = None) -> Features:
    """Features of proposals. With a seed each proposal is moved, mirrored and lit by chance."""
    seen = _seen(proposals, data, seed, MAPS[:2])
    return Features(seen["pooled"], seen["middle"], seen["boxes"], seen["places"])


def side_features(proposals: Proposals, data: Path, seed: int | None = None) -> SideFeatures:
    """The same with the fine maps, which take three times the room."""
    return SideFeatures(**_seen(proposals, data, seed, MAPS))


def _seen(proposals: Proposals, data: Path, seed: int | None, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    cv2.setNumThreads(1)
    rng = None if seed is None else np.random.default_rng(seed)
    view = _view_of(proposals.boxes, rng)
    frames = windows(view.boxes, CONTEXT)
    given, places = (_mirrored(relative(one, frames), view.mirrored) for one in (view.boxes, proposals.places))
    network, seen = _feature_session(), {"boxes": given, "places": places}
    shown, image = -1, np.zeros((1, 1, 3), np.uint8)
    for start in range(0, len(given), BATCH):
        crops = []
        for i in range(start, min(start + BATCH, len(given))):
            if proposals.photos[i] != shown:
                shown = proposals.photos[i]
                image = load_image(data / str(proposals.files[shown]))
            crop = cut(image, frames[i], INPUT_PX)
            if view.mirrored[i]:
                crop = crop[:, ::-1]
            crops.append(crop if rng is None else _seen_otherwise(crop, rng))
        batch = slice(start, start + BATCH)
        answered = network.run(list(names), {"crops": np.stack(crops), "boxes": given[batch]})
        for name, values in zip(names, answered, strict=True):
            if name not in seen:
                seen[name] = np.zeros((len(given), *values.shape[1:]), np.float16)
            seen[name][batch] = values
        if start // BATCH % 100 == 99:
            print(start + BATCH, "crops", flush=True)
    return seen


def _mirrored(boxes: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Boxes [n, 4] as shares of their crops, those of mirrored crops mirrored too."""
    flipped = np.stack([1 - boxes[:, 2], boxes[:, 1], 1 - boxes[:, 0], boxes[:, 3]], 1)
    return np.where(which[:, None], flipped, boxes).astype(np.float32)

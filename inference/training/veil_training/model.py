"""The detector: a dense residual network with a top-down pyramid, boxes at five levels and a text map."""

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from .categories import CARD_LIKE_INDEX, DETECTED, STRIDES

PIXEL_MEAN, PIXEL_SCALE = 127.5, 1 / 64.0
PRIOR_LOGIT = -4.6
"""Initial class logit, a prior of 1 % as in focal loss (Lin et al. 2017)."""


@dataclass(frozen=True)
class ModelSettings:
    """Widths at strides 2, 4, 8, 16, 32, 64; residual blocks at 4…64; widths of the pyramid and of stride 4."""

    widths: tuple[int, ...] = (16, 32, 64, 128, 192, 192)
    blocks: tuple[int, ...] = (1, 2, 4, 3, 1)
    pyramid_width: int = 48
    fine_width: int = 32

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for checkpoints."""
        return asdict(self)

    @staticmethod
    def from_dict(values: dict[str, Any]) -> "ModelSettings":
        """Reverse of `as_dict`."""
        return ModelSettings(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})


def conv(inputs: int, outputs: int, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    """Convolution, batch normalisation, ReLU."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class Residual(nn.Module):
    """Bottleneck block: 1×1 to half the width, 3×3 back, added to the input."""

    def __init__(self, width: int):
        super().__init__()
        self.body = nn.Sequential(conv(width, width // 2, 1), conv(width // 2, width, 3))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x)


@dataclass
class Prediction:
    """Raw outputs, grid points of all levels in a row.

    logits: [n, 12, N]; for card-like categories the kind's logit. card: [n, 1, N], logit that
    anything card-like is there. distances: [n, 4, N], left, top, right, bottom in strides.
    text: [n, 1, h/4, w/4] logits.
    """

    logits: Tensor
    card: Tensor
    distances: Tensor
    text: Tensor


class Detector(nn.Module):
    """RGB in 0…255, [n, 3, h, w] with sides that are multiples of 64, to a Prediction."""

    def __init__(self, settings: ModelSettings):
        super().__init__()
        self.settings = settings
        w, p, f = settings.widths, settings.pyramid_width, settings.fine_width
        outputs = len(DETECTED) + 1
        self.stem = conv(3, w[0], 3, 2)
        self.stages = nn.ModuleList(
            nn.Sequential(conv(w[i], w[i + 1], 3, 2), *(Residual(w[i + 1]) for _ in range(count)))
            for i, count in enumerate(settings.blocks)
        )
        self.lateral = nn.ModuleList(nn.Conv2d(width, p, 1) for width in w[2:])
        self.smooth = nn.ModuleList(conv(p, p) for _ in w[2:])
        self.tower, self.class_tower, self.box_tower = conv(p, p), conv(p, p), conv(p, p)
        self.classes, self.boxes = nn.Conv2d(p, outputs, 1), nn.Conv2d(p, 4, 1)
        self.fine_lateral, self.fine_down = nn.Conv2d(w[1], f, 1), nn.Conv2d(p, f, 1)
        self.fine_tower = conv(f, f)
        self.fine_classes, self.fine_boxes = nn.Conv2d(f, outputs, 1), nn.Conv2d(f, 4, 1)
        self.text = nn.Sequential(conv(f, f), nn.Conv2d(f, 1, 1))
        self.level_scale = nn.Parameter(torch.ones(len(STRIDES)))
        self._initialise()

    def _initialise(self) -> None:
        for head in (self.classes, self.fine_classes):
            nn.init.normal_(head.weight, 0, 0.01)
            nn.init.constant_(head.bias, PRIOR_LOGIT)
        for head in (self.boxes, self.fine_boxes):
            nn.init.normal_(head.weight, 0, 0.01)
            nn.init.constant_(head.bias, 0.7)
        nn.init.constant_(self.text[1].bias, -2.2)

    def features(self, image: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Stride-4 features and the pyramid at strides 8 to 64."""
        x = self.stem((image - PIXEL_MEAN) * PIXEL_SCALE)
        stages = []
        for stage in self.stages:
            x = stage(x)
            stages.append(x)
        pyramid = [lateral(stage) for lateral, stage in zip(self.lateral, stages[1:], strict=True)]
        for i in range(len(pyramid) - 2, -1, -1):
            pyramid[i] = pyramid[i] + functional.interpolate(pyramid[i + 1], scale_factor=2.0, mode="nearest")
        pyramid = [smooth(level) for smooth, level in zip(self.smooth, pyramid, strict=True)]
        down = functional.interpolate(self.fine_down(pyramid[0]), scale_factor=2.0, mode="nearest")
        return torch.relu(self.fine_lateral(stages[0]) + down), pyramid

    def forward(self, image: Tensor) -> Prediction:
        fine, pyramid = self.features(image)
        boxed = self.fine_tower(fine)
        classes, boxes = [self.fine_classes(boxed)], [self.fine_boxes(boxed)]
        for level in pyramid:
            shared = self.tower(level)
            classes.append(self.classes(self.class_tower(shared)))
            boxes.append(self.boxes(self.box_tower(shared)))
        # Softplus as -log(sigmoid(-x)): onnxruntime computes these two in vectors, and Softplus one by one.
        distances = [-functional.logsigmoid(-box * scale) for box, scale in zip(boxes, self.level_scale, strict=True)]
        logits = torch.cat([c.flatten(2) for c in classes], 2)
        return Prediction(
            logits[:, :-1],
            logits[:, -1:],
            torch.cat([d.flatten(2) for d in distances], 2),
            self.text(fine),
        )


def scores(prediction: Prediction) -> Tensor:
    """Probabilities [n, 12, N].

    A card-like category scores the shared probability times its share relative to the likeliest
    kind: the likeliest kind gets all of it, an equally likely one as much.
    """
    logits = prediction.logits.float()
    kinds = logits[:, list(CARD_LIKE_INDEX)]
    relative = torch.exp(kinds - kinds.amax(1, keepdim=True))
    card_scores = prediction.card.float().sigmoid() * relative
    parts = list(logits.sigmoid().split(1, 1))
    for position, index in enumerate(CARD_LIKE_INDEX):
        parts[index] = card_scores[:, position : position + 1]
    return torch.cat(parts, 1)


OUTWARD = 1.06
"""Exported distances are longer by this factor: a box a little too large costs less than an ear outside it."""


class Exported(nn.Module):
    """What is exported: image [n, 3, h, w] to scores [n, 12, N], boxes [n, 4, N] in pixels, text [n, 1, h/4, w/4]."""

    def __init__(self, detector: Detector):
        super().__init__()
        self.detector = detector

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        prediction = self.detector(image)
        height, width = image.shape[2], image.shape[3]
        counts = [(height // s) * (width // s) for s in STRIDES]
        pixels = [d * (OUTWARD * s) for d, s in zip(prediction.distances.split(counts, 2), STRIDES, strict=True)]
        return scores(prediction), torch.cat(pixels, 2), prediction.text.sigmoid()


def parameter_count(model: nn.Module) -> int:
    """Number of trained values."""
    return sum(p.numel() for p in model.parameters())

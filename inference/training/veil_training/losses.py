"""Assignment of grid points to objects, and the losses."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from .categories import CARD_LIKE_INDEX, DETECTED
from .grid import grid_points
from .model import Prediction
from .targets import CHANNEL_OF, DENSE, WEIGHT_STEPS

UNKNOWN_QUARTERS = 2
SKIPPED_SCORE = 0.6
"""Unknown places the network itself is this sure of are not pushed down."""

QUALITY_FLOOR = 0.3
NEGATIVE_GAIN, POSITIVE_GAIN, MIN_POSITIVE_FACTOR = 0.75, 2.0, 0.08
WEIGHTS = {"score": 1.3, "box": 1.5, "inward": 0.4, "kind": 0.3, "text": 2.0, "dice": 0.7}


@dataclass
class Batch:
    """Tensors of a batch. images uint8 [B, s, s, 3]; objects of all samples in a row: boxes [M, 4],
    labels [M], owner [M] (sample index), candidates [M, K]; the rest as in Targets with a leading B."""

    images: Tensor
    boxes: Tensor
    labels: Tensor
    owner: Tensor
    candidates: Tensor
    negative_weight: Tensor
    text: Tensor
    text_weight: Tensor

    def to(self, device: torch.device) -> "Batch":
        """The batch on a device."""
        return Batch(*(t.to(device, non_blocking=True) for t in vars(self).values()))


@dataclass
class Positives:
    """Chosen grid points: sample [P], point [P], object [P]."""

    sample: Tensor
    point: Tensor
    object: Tensor


def overlap(distances: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """IoU and generalised IoU (Rezatofighi et al. 2019) of boxes that share a point, as l, t, r, b [..., 4]."""
    inner, outer = torch.minimum(distances, wanted), torch.maximum(distances, wanted)
    width, height = inner[..., 0] + inner[..., 2], inner[..., 1] + inner[..., 3]
    intersection = width.clamp(min=0) * height.clamp(min=0)
    area = (distances[..., 0] + distances[..., 2]) * (distances[..., 1] + distances[..., 3])
    union = area + (wanted[..., 0] + wanted[..., 2]) * (wanted[..., 1] + wanted[..., 3]) - intersection
    hull = (outer[..., 0] + outer[..., 2]) * (outer[..., 1] + outer[..., 3])
    iou = intersection / union.clamp(min=1e-6)
    return iou, iou - (hull - union) / hull.clamp(min=1e-6)


class DetectionLoss:
    """Sparse task-aligned assignment over the candidates of each object, then all losses."""

    def __init__(self, side: int, device: torch.device):
        points, strides = grid_points(side, side)
        self.points = torch.from_numpy(points).to(device)
        self.strides = torch.from_numpy(strides).to(device)
        channels = np.array([CHANNEL_OF[i] for i in range(len(DETECTED))])
        self.channel_of = torch.from_numpy(channels).to(device)
        kinds = np.full(len(DETECTED), -1)
        kinds[list(CARD_LIKE_INDEX)] = np.arange(len(CARD_LIKE_INDEX))
        self.kind_of = torch.from_numpy(kinds).to(device)

    def wanted_distances(self, boxes: Tensor, points: Tensor) -> Tensor:
        """Targets l, t, r, b [..., 4] in strides for boxes [..., 4] seen from point indices [...]."""
        place, stride = self.points[points], self.strides[points]
        distances = torch.cat([place - boxes[..., :2], boxes[..., 2:] - place], -1)
        return distances / stride[..., None]

    @torch.no_grad()
    def assign(self, dense: Tensor, distances: Tensor, batch: Batch) -> Positives:
        """For each object the candidates that align best in score and IoU (after TOOD, Feng et al. 2021).

        Their number is the sum of the candidates' IoUs, as in SimOTA (Ge et al. 2021). A point
        wanted by several objects goes to the smallest.
        """
        valid = batch.candidates >= 0
        points = batch.candidates.clamp(min=0)
        owner = batch.owner[:, None].expand_as(points)
        predicted = distances[owner, :, points]
        wanted = self.wanted_distances(batch.boxes[:, None].expand(-1, points.shape[1], -1), points)
        iou, _ = overlap(predicted, wanted.clamp(min=0.01))
        score = dense[owner, self.channel_of[batch.labels][:, None], points].sigmoid()
        inside = wanted.amin(-1) > 0
        offset = (wanted[..., :2] - wanted[..., 2:]).pow(2).sum(-1) / 4
        centrality = torch.exp(-offset / 4)
        alignment = (score.sqrt() + 0.05) * (iou + 0.02).pow(2) * (0.5 + 0.5 * centrality)
        alignment = torch.where(inside, alignment, alignment * 1e-3).masked_fill(~valid, -1)
        count = (iou * valid * inside).sum(1).round().clamp(1, 9)
        rank = alignment.argsort(1, descending=True).argsort(1)
        chosen = (rank < count[:, None]) & valid
        objects, column = chosen.nonzero(as_tuple=True)
        return self._resolve(batch, objects, points[objects, column])

    def _resolve(self, batch: Batch, objects: Tensor, points: Tensor) -> Positives:
        size = (batch.boxes[:, 2:] - batch.boxes[:, :2]).prod(1)
        order = size.argsort(descending=True)
        priority = torch.empty_like(order)
        priority[order] = torch.arange(len(order), device=order.device)
        key = batch.owner[objects] * len(self.points) + points
        winners = torch.full((batch.images.shape[0] * len(self.points),), -1, device=order.device, dtype=torch.long)
        winners.scatter_reduce_(0, key, priority[objects], "amax")
        places = (winners >= 0).nonzero(as_tuple=True)[0]
        return Positives(places // len(self.points), places % len(self.points), order[winners[places]])

    def __call__(self, prediction: Prediction, batch: Batch, warm: bool) -> tuple[Tensor, dict[str, float]]:
        """Total loss and its parts. `warm` switches on the sparing of sure unknown places."""
        logits, distances = prediction.logits.float(), prediction.distances.float()
        dense = torch.cat([logits[:, list(DENSE)], prediction.card.float()], 1)
        positives = self.assign(dense, distances, batch)
        labels = batch.labels[positives.object]
        count = max(1, len(labels))
        found = distances[positives.sample, :, positives.point]
        wanted = self.wanted_distances(batch.boxes[positives.object], positives.point).clamp(min=0.05)
        iou, generalised = overlap(found, wanted)
        box = (1 - generalised).sum() / count
        inward = (functional.relu(wanted - found) / wanted.clamp(min=0.5)).clamp(max=2).sum() / (4 * count)
        channels = self.channel_of[labels]
        quality = QUALITY_FLOOR + (1 - QUALITY_FLOOR) * iou.detach().clamp(0, 1)
        score, parts = focal_surrogate(dense, batch.negative_weight, positives, channels, quality, warm)
        kind = self._kind_loss(logits, positives, labels)
        text, dice = text_losses(prediction.text.float()[:, 0], batch)
        total = (
            WEIGHTS["score"] * score + WEIGHTS["box"] * box + WEIGHTS["inward"] * inward
            + WEIGHTS["kind"] * kind + WEIGHTS["text"] * text + WEIGHTS["dice"] * dice
        )  # fmt: skip
        parts |= {"box": box.item(), "inward": inward.item(), "kind": kind.item()}
        parts |= {"text": text.item(), "dice": dice.item(), "iou": iou.mean().item() if len(labels) else 0.0}
        return total, parts

    def _kind_loss(self, logits: Tensor, positives: Positives, labels: Tensor) -> Tensor:
        """Cross-entropy over the kinds of card-like things."""
        kinds = self.kind_of[labels]
        chosen = kinds >= 0
        if not bool(chosen.any()):
            return logits.sum() * 0
        rows = logits[positives.sample[chosen], :, positives.point[chosen]][:, list(CARD_LIKE_INDEX)]
        return functional.cross_entropy(rows, kinds[chosen])


def focal_surrogate(
    logits: Tensor, quarters: Tensor, positives: Positives, channels: Tensor, quality: Tensor, warm: bool
) -> tuple[Tensor, dict[str, float]]:
    """A value whose gradient is that of quality focal loss (Li et al. 2020), for one pass over the logits.

    Negatives: gain · weight · p³. Positives with target y: (p - y) · max(2 (p - y)², 0.08). The
    modulating factor is treated as a constant, which saves the second half of autograd's work on
    the largest tensor of the network.
    """
    with torch.no_grad():
        probability = logits.sigmoid()
        gradient = probability.pow(3).mul_(quarters * (NEGATIVE_GAIN / WEIGHT_STEPS))
        if warm:
            gradient.masked_fill_((quarters == UNKNOWN_QUARTERS) & (probability > SKIPPED_SCORE), 0)
        at = positives.sample, channels, positives.point
        score = probability[at]
        gradient[at] = 0
        negative = float(gradient.sum())
        error = score - quality
        gradient[at] = error * (POSITIVE_GAIN * error.pow(2)).clamp(min=MIN_POSITIVE_FACTOR)
        count = max(1, len(score))
        gradient /= count
    parts = {"negative": negative / count, "positive_score": float(score.mean()) if len(score) else 0.0}
    return (logits * gradient).sum(), parts


def text_losses(logits: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    """Weighted cross-entropy and dice loss of the text map; logits [B, h/4, w/4]."""
    wanted, weight = batch.text.float() / 255, batch.text_weight.float() / 255
    entropy = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    weighted = weight * (1 + 3 * wanted)
    mean = (entropy * weighted).sum() / weighted.sum().clamp(min=1)
    probability = logits.sigmoid() * weight
    wanted = wanted * weight
    common = (probability * wanted).sum()
    dice = 1 - (2 * common + 1) / (probability.pow(2).sum() + wanted.pow(2).sum() + 1)
    return mean, dice

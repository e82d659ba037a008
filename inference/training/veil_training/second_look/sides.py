"""Trains the head that predicts an object's sides, and measures the boxes of its quantiles."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from ..categories import DETECTED
from ..geometry import areas, covered_fraction, grow_boxes
from ..manifest import Photo
from .choose import COVERED_SHARE, GROWTH
from .features import SideFeatures, side_features
from .head import LEAST_DEVIATION
from .network import FEATURES
from .proposals import Proposals
from .side_head import BINS, QUANTILES, SideHead, boxes_within

BATCH, LEARNING_RATE, WEIGHT_DECAY, WARM_UP_STEPS, LEAST_SHARE = 64, 2e-3, 0.05, 100, 0.01
MOST_HEADS_OF_A_SOURCE = 900
HEADS_DRAWN = 3.0
STATISTICS_FROM = 4000
FEWEST_MEASURED = 20
REPORTED_STEPS = 500


def taught_sides(proposals: Proposals, photos: list[Photo]) -> Proposals:
    """The right proposals that teach sides. Heads guessed from a label of the face are left out, and most heads of a
    source with very many. photos: those that the proposals' files name, in their order."""
    faces_only = np.array([photo.faces_only for photo in photos])[proposals.photos]
    chosen = (proposals.own == 1) & ~np.isnan(proposals.places[:, 0]) & ~(faces_only & (proposals.categories == 0))
    rng, heads = np.random.default_rng(5), np.where(chosen & (proposals.categories == 0))[0]
    sources = np.array([photo.source for photo in photos])[proposals.photos[heads]]
    for source in np.unique(sources):
        chosen[rng.permutation(heads[sources == source])[MOST_HEADS_OF_A_SOURCE:]] = False
    return proposals.part(chosen)


def wanted_bins(places: torch.Tensor) -> torch.Tensor:
    """Labels' sides [n, 4], shares of the crop, as distributions [n, 4, BINS] over the two nearest bins."""
    at = (places.clamp(0, 1) * BINS - 0.5).clamp(0, BINS - 1 - 1e-4)
    lower = at.floor().long()
    share = (at - lower)[..., None]
    wanted = torch.zeros(*places.shape, BINS).scatter(2, lower[..., None], 1 - share)
    return wanted.scatter_add(2, lower[..., None] + 1, share)


@dataclass
class SideViews:
    """Views of the same proposals, each moved, mirrored and lit by chance, and how often each proposal is drawn [n]."""

    views: list[SideFeatures]
    drawn: np.ndarray


def side_views(proposals: Proposals, data: Path, seeds: list[int]) -> SideViews:
    """Computes a view for each seed. Proposals of a category are drawn by the root of their number."""
    drawn = np.zeros(len(proposals.boxes))
    for index in range(len(DETECTED)):
        own = proposals.categories == index
        drawn[own] = max(1, own.sum()) ** -0.5 * (HEADS_DRAWN if index == 0 else 1.0)
    return SideViews([side_features(proposals, data, seed) for seed in seeds], drawn / drawn.sum())


def train_side_head(taught: SideViews, steps: int, seed: int = 0) -> SideHead:
    """Trains by the cross-entropy of each side's bin."""
    torch.manual_seed(seed)
    rng, net = np.random.default_rng(seed), _standardizing(SideHead(FEATURES), taught.views[0], seed).train()
    optimizer = torch.optim.AdamW(net.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    losses = 0.0
    for step in range(steps):
        share = min(1.0, (step + 1) / WARM_UP_STEPS) * (0.5 * (1 + np.cos(np.pi * step / steps)) + LEAST_SHARE)
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * share
        view = taught.views[rng.integers(len(taught.views))]
        chosen = rng.choice(len(taught.drawn), BATCH, p=taught.drawn)
        wanted = wanted_bins(torch.from_numpy(view.places[chosen]))
        loss = -(wanted * net(*_inputs(view, chosen)).log_softmax(2)).sum(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses += loss.item()
        if step % REPORTED_STEPS == REPORTED_STEPS - 1:
            print(f"step {step + 1}: loss {losses / REPORTED_STEPS:.4f}", flush=True)
            losses = 0.0
    return net.eval()


def _inputs(view: SideFeatures, rows: np.ndarray) -> list[torch.Tensor]:
    columns = (view.pooled, view.middle, view.fine, view.boxes)
    return [torch.from_numpy(column[rows].astype(np.float32)) for column in columns]


def _standardizing(net: SideHead, view: SideFeatures, seed: int) -> SideHead:
    some = np.random.default_rng(seed).permutation(len(view.pooled))[:STATISTICS_FROM]
    for name, axes in (("pooled", (0,)), ("middle", (0, 2, 3)), ("fine", (0, 2, 3))):
        values = getattr(view, name)[some].astype(np.float32)
        mean, deviation = getattr(net, f"{name}_mean"), getattr(net, f"{name}_deviation")
        mean.copy_(torch.from_numpy(values.mean(axes)).reshape(mean.shape))
        deviation.copy_(torch.from_numpy(values.std(axes) + LEAST_DEVIATION).reshape(mean.shape))
    return net


@torch.no_grad()
def side_table(net: SideHead, proposals: Proposals, shown: SideFeatures) -> str:
    """By category and quantile: the share of labels that the surest right proposal's box covers, and its area over the
    label's."""
    rows = range(0, len(shown.pooled), BATCH)
    parts = [boxes_within(net(*_inputs(shown, np.arange(at, min(at + BATCH, len(shown.pooled)))))) for at in rows]
    boxes, surest = torch.cat(parts).numpy(), _surest_of_each_label(proposals)
    lines = ["| category | labels | quantile | covered | painted / labeled |", "|---" * 5 + "|"]
    for index, name in enumerate(DETECTED):
        own = surest[proposals.categories[surest] == index]
        if len(own) < FEWEST_MEASURED:
            continue
        places = shown.places[own]
        for at, quantile in enumerate(QUANTILES):
            grown = grow_boxes(boxes[own, at], GROWTH)
            covered = [
                covered_fraction(place, one[None]) >= COVERED_SHARE for place, one in zip(places, grown, strict=True)
            ]
            painted = (areas(boxes[own, at]) / areas(places)).mean()
            lines.append(f"| {name} | {len(own)} | {quantile} | {np.mean(covered):.3f} | {painted:.2f} |")
    return "\n".join(lines)


def _surest_of_each_label(proposals: Proposals) -> np.ndarray:
    seen: dict[tuple[float, ...], int] = {}
    for i in np.argsort(-proposals.scores):
        label = (proposals.photos[i], proposals.categories[i], *proposals.places[i].round(1))
        seen.setdefault(tuple(float(one) for one in label), int(i))
    return np.array(sorted(seen.values()))


def stored_side_head(net: SideHead) -> dict[str, object]:
    """The weights that `SecondLook` reads, in half precision."""
    return {"side_head": {name: value.half() for name, value in net.state_dict().items()}}

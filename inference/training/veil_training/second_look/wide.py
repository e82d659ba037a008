"""The wide look before the second look: the backbone's first blocks on crops of 64 pixels, four times the box's side.

It costs a twelfth of the second look, drops proposals that the second look would deny anyway (a cascade, as in Viola
and Jones, 2001), and sees what the second look cannot: the body below a head, the street around a sign.
"""

from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import affine_grid, binary_cross_entropy_with_logits, grid_sample

from ..categories import DETECTED
from ..manifest import load_image
from .crops import cut, relative, windows
from .head import GROUPS, groups_of, set_learning_rates
from .network import MIDDLE_BLOCK, Backbone
from .proposals import Proposals
from .side_head import mask_of

WIDE_PX = 64
"""Side of the network's crops."""
WIDE_CONTEXT = 4.0
"""Side of the window that the network sees, as a multiple of the proposal's longer side."""
FROZEN_BLOCKS = 3
"""The first blocks, as ImageNet taught them: half of a step's time, and their features are those of any picture."""
VIEW_PX = 80
"""Side of the crops that training cuts its views from; their context is larger by the same share."""
HIDDEN, DROPOUT = 96, 0.2
MIDDLE_CHANNELS = 112
LEARNING_RATE, HEAD_LEARNING_RATE, WEIGHT_DECAY = 3e-4, 2e-3, 0.02
BATCH, REPORTED_STEPS = 64, 200
SHIFTED, SCALED, BRIGHTNESS, CONTRAST = 0.06, 0.08, 12.0, 0.15
"""Standard deviations of a view's shift and logarithmic scale, in shares of the crop, and of its light."""
OTHER_CATEGORIES = 0.1
"""Weight of the labels of categories other than that of the proposal."""
HEADS_DRAWN = 3.0
"""The factor by which heads are drawn more often than their share of the proposals."""


class WideNetwork(nn.Module):
    """Logits [n, 12] of crops [n, 64, 64, 3] in bytes with boxes [n, 4] as shares of them."""

    def __init__(self) -> None:
        super().__init__()
        backbone = Backbone()
        self.stem, self.stem_norm, self.activation = backbone.stem, backbone.stem_norm, backbone.activation
        self.blocks = nn.ModuleList(list(backbone.blocks)[: MIDDLE_BLOCK + 1])
        self.head = nn.Sequential(
            nn.Dropout(DROPOUT),
            nn.Linear(2 * MIDDLE_CHANNELS + 1, HIDDEN),
            nn.ReLU(),
            nn.Linear(HIDDEN, len(DETECTED)),
        )

    def train(self, mode: bool = True) -> "WideNetwork":
        super().train(mode)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
        return self

    def forward(self, crops: Tensor, boxes: Tensor) -> Tensor:
        """crops in floats, 0 to 255, [n, 3, s, s]."""
        with torch.no_grad():
            x = self.activation(self.stem_norm(self.stem((crops - 127.0) / 128.0)))
            for block in self.blocks[:FROZEN_BLOCKS]:
                x = block(x)
        for block in self.blocks[FROZEN_BLOCKS:]:
            x = block(x)
        mask = mask_of(boxes, WIDE_PX // 16)
        under = (x * mask).sum((2, 3)) / mask.sum((2, 3)).clamp(min=1e-3)
        sides = (boxes[:, 2:] - boxes[:, :2]).clamp(min=1e-3)
        shape = torch.log(sides[:, 0] / sides[:, 1])[:, None]
        return self.head(torch.cat([x.mean((2, 3)), under, shape], 1))


class ExportedWide(nn.Module):
    """The wide look with a second look's inputs and outputs: probabilities, and the boxes as they came."""

    def __init__(self, network: WideNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, crops: Tensor, boxes: Tensor) -> tuple[Tensor, Tensor]:
        return self.network(crops.permute(0, 3, 1, 2).float(), boxes).sigmoid(), boxes * 1.0


@dataclass
class WideViews:
    """Of each proposal a crop [n, VIEW_PX, VIEW_PX, 3] and the box as shares of it [n, 4]."""

    crops: np.ndarray
    boxes: np.ndarray

    def save(self, path: Path) -> None:
        """Writes them as an .npz."""
        np.savez(path, crops=self.crops, boxes=self.boxes)

    @staticmethod
    def load(path: Path) -> "WideViews":
        """Reverse of `save`."""
        with np.load(path) as stored:
            return WideViews(stored["crops"], stored["boxes"])


def wide_views(proposals: Proposals, data: Path) -> WideViews:
    """Cuts every proposal, with a margin from which training cuts moved views."""
    cv2.setNumThreads(1)
    count = len(proposals.boxes)
    views = WideViews(np.zeros((count, VIEW_PX, VIEW_PX, 3), np.uint8), np.zeros((count, 4), np.float32))
    for index, file in enumerate(proposals.files):
        own = np.where(proposals.photos == index)[0]
        if not len(own):
            continue
        image, boxes = load_image(data / str(file)), proposals.boxes[own]
        frames = windows(boxes, WIDE_CONTEXT * VIEW_PX / WIDE_PX)
        views.crops[own] = [cut(image, frame, VIEW_PX) for frame in frames]
        views.boxes[own] = relative(boxes, frames)
    return views


def train_wide(
    proposals: Proposals, views: WideViews, minutes: float, seed: int = 0, drawn: np.ndarray | None = None
) -> WideNetwork:
    """Trains on labels, by moved, mirrored and lit views; draws each answer of a category by the root of its number.

    drawn [n] says which proposals may be drawn; by default all.
    """
    torch.manual_seed(seed)
    rng, net = np.random.default_rng(seed), WideNetwork().train()
    wanted, weights = _wanted(proposals)
    chances = _chances(proposals, np.ones(len(proposals.boxes), bool) if drawn is None else drawn)
    groups = [
        {"params": net.blocks[FROZEN_BLOCKS:].parameters(), "lr": LEARNING_RATE},
        {"params": net.head.parameters(), "lr": HEAD_LEARNING_RATE},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=WEIGHT_DECAY)
    rates = [group["lr"] for group in optimizer.param_groups]
    began, step, losses = monotonic(), 0, 0.0
    while (done := (monotonic() - began) / 60 / minutes) < 1:
        set_learning_rates(optimizer, rates, step, done)
        chosen = rng.choice(len(chances), BATCH, p=chances)
        logits = net(*_seen(views, chosen, rng))
        each = binary_cross_entropy_with_logits(logits, wanted[chosen], reduction="none")
        loss = (each * weights[chosen]).sum() / BATCH
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step, losses = step + 1, losses + loss.item()
        if step % REPORTED_STEPS == 0:
            print(f"step {step}, {done:.0%}: loss {losses / REPORTED_STEPS:.4f}", flush=True)
            losses = 0.0
    return net.eval()


@torch.no_grad()
def wide_logits(net: WideNetwork, views: WideViews) -> np.ndarray:
    """Logits [n, 12] of the views as they are."""
    count = len(views.boxes)
    batches = [np.arange(start, min(start + BATCH, count)) for start in range(0, count, BATCH)]
    return torch.cat([net(*_seen(views, rows, None)) for rows in batches]).numpy()


def wide_logits_without_source(
    taught: tuple[Proposals, WideViews], measured: tuple[Proposals, WideViews], minutes: float
) -> np.ndarray:
    """Logits [n, 12] of measured proposals. Each comes from a network that saw no photo of its source or its kin.

    minutes is the time of one of the GROUPS trainings.
    """
    (proposals, seen), (others, shown) = taught, measured
    own, other = groups_of(proposals.files[proposals.photos], others.files[others.photos])
    logits = np.zeros((len(other), len(DETECTED)), np.float32)
    for group in range(GROUPS):
        net = train_wide(proposals, seen, minutes, group, own != group)
        rows = other == group
        logits[rows] = wide_logits(net, WideViews(shown.crops[rows], shown.boxes[rows]))
    return logits


def _wanted(proposals: Proposals) -> tuple[Tensor, Tensor]:
    """What is known of each proposal [n, 12], and the weight of each answer: 0 where nothing is known."""
    known = torch.from_numpy(proposals.known)
    weights = torch.where(known.isnan(), 0.0, OTHER_CATEGORIES)
    each, own = torch.arange(len(known)), torch.from_numpy(proposals.categories)
    weights[each, own] = torch.where(known[each, own].isnan(), 0.0, 1.0)
    return known.nan_to_num(), weights


def _chances(proposals: Proposals, drawn: np.ndarray) -> np.ndarray:
    chances = np.zeros(len(proposals.boxes))
    for index, name in enumerate(DETECTED):
        for answer in (0, 1):
            rows = np.where((proposals.categories == index) & (proposals.own == answer) & drawn)[0]
            if len(rows):
                chances[rows] = len(rows) ** -0.5 * (HEADS_DRAWN if name == "heads" else 1.0)
    return chances / chances.sum()


def _seen(views: WideViews, rows: np.ndarray, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
    """Crops [n, 3, 64, 64] in floats and boxes [n, 4] as shares of them, moved by chance if `rng` is given."""
    crops = torch.from_numpy(views.crops[rows]).permute(0, 3, 1, 2).float()
    boxes = torch.from_numpy(views.boxes[rows])
    count, side = len(rows), WIDE_PX / VIEW_PX
    shift, scale, mirrored = np.zeros((count, 2)), np.full(count, side), np.zeros(count, bool)
    if rng is not None:
        shift = rng.normal(0, SHIFTED, (count, 2)).clip(-0.15, 0.15)
        scale = (side * np.exp(rng.normal(0, SCALED, count))).clip(0.6, 1.0)
        mirrored = rng.random(count) < 0.5
        light = torch.from_numpy(np.exp(rng.normal(0, CONTRAST, (count, 1, 1, 1))).astype(np.float32))
        glow = torch.from_numpy(rng.normal(0, BRIGHTNESS, (count, 1, 1, 1)).astype(np.float32))
        crops = ((crops - 127) * light + 127 + glow).clamp(0, 255)
    flip = np.where(mirrored, -1.0, 1.0)
    theta = np.zeros((count, 2, 3), np.float32)
    theta[:, 0, 0], theta[:, 1, 1] = scale * flip, scale
    theta[:, :, 2] = 2 * shift
    grid = affine_grid(torch.from_numpy(theta), [count, 3, WIDE_PX, WIDE_PX], align_corners=False)
    # Outside of the view is the gray of what lies outside a photo.
    seen = grid_sample(crops - 114, grid, align_corners=False) + 114
    low = torch.from_numpy((0.5 + shift - scale[:, None] / 2).astype(np.float32))
    size = torch.from_numpy(scale.astype(np.float32))[:, None]
    placed = torch.cat([(boxes[:, :2] - low) / size, (boxes[:, 2:] - low) / size], 1)
    swapped = torch.stack([1 - placed[:, 2], placed[:, 1], 1 - placed[:, 0], placed[:, 3]], 1)
    return seen, torch.where(torch.from_numpy(mirrored)[:, None], swapped, placed)

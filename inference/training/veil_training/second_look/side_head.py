"""The network that predicts where the sides of an object are, as a distribution over bins of the crop for each side.

Each side has a profile of its own along one axis, which says more than one vector for the whole crop (side-aware
boundary localization, Wang et al., 2020). Quantiles of its distribution lean outward as far as the side is in doubt.
"""

import torch
from torch import Tensor, nn

from .scene_head import MIDDLE_CHANNELS

FINE_CHANNELS, FINE_CELLS = 40, 20
"""Channels and cells along a side of the fine map of a crop of 160 pixels."""
BINS = 2 * FINE_CELLS
QUANTILES = (0.5, 0.65, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Shares of sides that lie within the boxes that the network answers."""
CHANNELS, DROPOUT = 48, 0.2
LEAST_PROBABILITY = 1e-6


def mask_of(boxes: Tensor, cells: int) -> Tensor:
    """Share of each cell [n, 1, cells, cells] that lies inside boxes [n, 4], which are shares of the crop."""
    edges = torch.arange(cells, dtype=boxes.dtype)
    scaled = boxes * cells

    def along(low: Tensor, high: Tensor) -> Tensor:
        return (torch.minimum(high[:, None], edges + 1) - torch.maximum(low[:, None], edges)).clamp(0, 1)

    rows, columns = along(scaled[:, 1], scaled[:, 3]), along(scaled[:, 0], scaled[:, 2])
    return (rows[:, :, None] * columns[:, None, :])[:, None]


class SideHead(nn.Module):
    """Logits [n, 4, BINS] of where the left, top, right and bottom side of a crop's object are."""

    def __init__(self, features: int) -> None:
        """features: number of a crop's pooled features."""
        super().__init__()
        shapes = {"pooled": (features,), "middle": (MIDDLE_CHANNELS, 1, 1), "fine": (FINE_CHANNELS, 1, 1)}
        for name, shape in shapes.items():
            self.register_buffer(f"{name}_mean", torch.zeros(shape))
            self.register_buffer(f"{name}_deviation", torch.ones(shape))
        c = CHANNELS
        self.of_fine, self.of_middle = nn.Conv2d(FINE_CHANNELS, c, 1), nn.Conv2d(MIDDLE_CHANNELS, c, 1)
        self.of_pooled = nn.Sequential(nn.Dropout(DROPOUT), nn.Linear(features, c))
        self.dropout, self.join = nn.Dropout2d(DROPOUT), nn.Conv2d(c + 1, c, 3, padding=1)
        self.near = nn.Sequential(nn.Conv2d(c, c, 3, padding=1, groups=c), nn.Conv2d(c, c, 1), nn.ReLU())
        self.far = nn.Sequential(nn.Conv2d(c, c, 3, padding=2, dilation=2, groups=c), nn.Conv2d(c, c, 1))
        self.attention = nn.Conv2d(c, 2, 1)
        self.profiles = nn.ModuleList(
            nn.Sequential(nn.Conv1d(c, c, 5, padding=2), nn.ReLU(), nn.Conv1d(c, 4, 3, padding=1)) for _ in range(2)
        )

    def forward(self, pooled: Tensor, middle: Tensor, fine: Tensor, boxes: Tensor) -> Tensor:
        """pooled [n, features], middle [n, 112, 10, 10], fine [n, 40, 20, 20], and boxes [n, 4] as shares of crops."""
        pooled = (pooled - self.pooled_mean) / self.pooled_deviation
        middle = (middle - self.middle_mean) / self.middle_deviation
        fine = (fine - self.fine_mean) / self.fine_deviation
        around = nn.functional.interpolate(self.of_middle(middle), scale_factor=2.0, mode="nearest")
        x = self.dropout(torch.relu(self.of_fine(fine) + around + self.of_pooled(pooled)[:, :, None, None]))
        x = torch.relu(self.join(torch.cat([x, mask_of(boxes, FINE_CELLS)], 1)))
        x = torch.relu(x + self.far(self.near(x)))
        attention = self.attention(x)
        horizontal, vertical = (self._profile(x, attention, axis) for axis in (0, 1))
        return torch.stack([horizontal[:, 0], vertical[:, 0], horizontal[:, 1], vertical[:, 1]], 1)

    def _profile(self, x: Tensor, attention: Tensor, axis: int) -> Tensor:
        """Logits [n, 2, BINS] of both sides along an axis, 0 for left and right, 1 for top and bottom."""
        across = 2 + axis
        weights = attention[:, axis : axis + 1].softmax(across)
        halves = self.profiles[axis]((x * weights).sum(across))
        return halves.reshape(-1, 2, 2, FINE_CELLS).permute(0, 1, 3, 2).reshape(-1, 2, BINS)


def boxes_within(logits: Tensor, quantiles: tuple[float, ...] = QUANTILES) -> Tensor:
    """Boxes [n, quantiles, 4] as shares of crops. A quantile is the probability that a side of the object lies inside.

    Between the ends of bins, the distribution is taken as linear.
    """
    inward = torch.tensor(quantiles)[:, None]
    wanted = torch.cat([1 - inward, 1 - inward, inward, inward], 1)[None, :, :, None]
    chances = logits.softmax(2)[:, None]
    before = chances.cumsum(3) - chances
    passed = (wanted - before) / torch.maximum(chances, torch.tensor(LEAST_PROBABILITY))
    zero, one = torch.tensor(0.0), torch.tensor(1.0)
    return torch.minimum(torch.maximum(passed, zero), one).sum(3) / BINS

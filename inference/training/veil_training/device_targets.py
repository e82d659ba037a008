"""`targets.targets_of` for a whole batch, as tensor operations on the accelerator."""

import torch
from torch import Tensor
from torch.nn import functional

from .categories import CARD_LIKE_INDEX, DETECTED, STRIDES
from .device_pool import NO_BOX, Views
from .grid import (
    CANDIDATES,
    CANDIDATES_PER_LEVEL,
    CENTRE_REACH_STRIDES,
    CENTRE_SHARE,
    LEVEL_RANGES_PX,
    grid_points,
    smallest_sizes,
)
from .losses import Batch
from .sample import ANY_CATEGORY
from .targets import CHANNEL_OF, DENSE, DENSE_CHANNELS, TEXT_CORE, TEXT_IGNORED, UNCHOSEN_WEIGHT, WEIGHT_STEPS

NEIGHBOURS = 2
"""Grid points farther than this from the nearest one are never within CENTRE_REACH_STRIDES of a centre."""


def _sizes(boxes: Tensor) -> Tensor:
    """`grid.object_size` of boxes [m, 4]."""
    extent = boxes[:, 2:] - boxes[:, :2]
    return 0.6 * extent.prod(1).sqrt() + 0.4 * extent.amax(1)


def candidates_of(boxes: Tensor, side: int) -> Tensor:
    """`grid.candidates` of boxes [m, 4]: int64 [m, CANDIDATES]."""
    extent, size = boxes[:, 2:] - boxes[:, :2], _sizes(boxes)
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    offset = torch.arange(-NEIGHBOURS, NEIGHBOURS + 1, device=boxes.device)
    found, start = [], 0
    for stride, (low, high) in zip(STRIDES, LEVEL_RANGES_PX, strict=True):
        columns = side // stride
        half = (extent * CENTRE_SHARE).clamp(min=stride * 0.71, max=CENTRE_REACH_STRIDES * stride)
        nearest = (centre / stride).floor().clamp(0, columns - 1).long()
        index = nearest[:, :, None] + offset
        apart = (index + 0.5) * stride - centre[:, :, None]
        usable = (apart.abs() <= half[:, :, None]) & (index >= 0) & (index < columns)
        usable |= ~usable.any(2, keepdim=True) & (offset == 0)
        far = (apart[:, 1, :, None].square() + apart[:, 0, None].square()).flatten(1)
        both = (usable[:, 1, :, None] & usable[:, 0, None]).flatten(1)
        point = (start + index[:, 1, :, None] * columns + index[:, 0, None]).flatten(1)
        order = far.masked_fill(~both, float("inf")).argsort(dim=1, stable=True)[:, :CANDIDATES_PER_LEVEL]
        chosen = both.gather(1, order) & ((size >= low) & (size < high))[:, None]
        found.append(torch.where(chosen, point.gather(1, order), -1))
        start += columns * columns
    listed = torch.cat(found, 1)
    return listed.gather(1, (listed < 0).long().argsort(dim=1, stable=True)[:, :CANDIDATES])


def _negative_weight(views: Views, side: int) -> Tensor:
    """Quarters uint8 [n, DENSE_CHANNELS, N]: nothing is pushed down inside ignored boxes."""
    device, count = views.images.device, len(views.images)
    points = torch.from_numpy(grid_points(side, side)[0]).to(device)
    smallest = torch.from_numpy(smallest_sizes(side, side)).to(device)
    known = views.negative_weight
    per_channel = torch.cat([known[:, list(DENSE)], known[:, list(CARD_LIKE_INDEX)].amin(1, keepdim=True)], 1)
    quarters = (per_channel * WEIGHT_STEPS).round().to(torch.uint8)
    weight = quarters[:, :, None].expand(-1, -1, len(points)).contiguous()
    owner, column = (views.ignored & (views.labels != NO_BOX)).nonzero(as_tuple=True)
    if len(owner):
        boxes, labels = views.boxes[owner, column], views.labels[owner, column]
        inside = ((points >= boxes[:, None, :2]) & (points <= boxes[:, None, 2:])).all(2)
        inside &= (smallest <= _sizes(boxes)[:, None]) | (labels == ANY_CATEGORY)[:, None]
        channels = torch.tensor([CHANNEL_OF[i] for i in range(len(DETECTED))], device=device)
        touched = functional.one_hot(channels[labels.clamp(min=0)], DENSE_CHANNELS).bool()
        touched |= (labels == ANY_CATEGORY)[:, None]
        row, channel = touched.nonzero(as_tuple=True)
        hidden = torch.zeros(count * DENSE_CHANNELS, len(points), device=device, dtype=torch.half)
        hidden.index_add_(0, owner[row] * DENSE_CHANNELS + channel, inside[row].half())
        weight.view(count * DENSE_CHANNELS, -1).masked_fill_(hidden > 0, 0)
    return weight


def batch_of(views: Views) -> Batch:
    """What the losses need for views."""
    side = views.images.shape[-1]
    device = views.images.device
    weight = _negative_weight(views, side)
    owner, column = ((views.labels >= 0) & ~views.ignored).nonzero(as_tuple=True)
    boxes, labels = views.boxes[owner, column], views.labels[owner, column]
    chosen = candidates_of(boxes, side)
    channels = torch.tensor([CHANNEL_OF[i] for i in range(len(DETECTED))], device=device)[labels]
    flat = (owner * DENSE_CHANNELS + channels)[:, None] * weight.shape[2] + chosen
    flat = flat[chosen >= 0]
    values = weight.view(-1)
    values[flat] = values[flat].clamp(max=round(UNCHOSEN_WEIGHT * WEIGHT_STEPS))
    core = functional.avg_pool2d((views.kind == TEXT_CORE).float()[:, None], 2)[:, 0] * 255
    hidden = functional.avg_pool2d((views.kind == TEXT_IGNORED).float()[:, None], 2)[:, 0] > 0
    text_weight = torch.where(hidden & (core < 128), 0, 255).to(torch.uint8)
    images = views.images.permute(0, 2, 3, 1)
    return Batch(images, boxes, labels, owner, chosen, weight, core.round().to(torch.uint8), text_weight)

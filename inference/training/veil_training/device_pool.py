"""The pool on an accelerator: whole samples as padded tensors, and random views of them made there.

A loader process makes some 250 views a second; a large GPU trains on thousands. So loaders only
decode each sample once, and cropping, scaling, mosaics and targets are tensor operations.
"""

from dataclasses import dataclass, fields

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from .geometry import areas, line_height, shrink_quad
from .loader import MOSAIC_SHARE
from .sample import MIN_LONG_SIDE_PX, MIN_VISIBLE, Sample
from .targets import MIN_CORE_HEIGHT_PX, SHRINK_RATIO

MAX_BOXES = 64
NO_BOX = -2
"""Label of padding."""

TEXT_CELL_PX = 2
"""The pool's text maps have half the samples' resolution, the loss's a quarter of the view's."""

HIDDEN_LINE = 255
MIN_OUTLINE_HEIGHT_PX = 7
TILE_SHARE = 0.625


@dataclass
class Entries:
    """Samples of one size, stacked. images uint8 [n, s, s, 3]; boxes float32 [n, MAX_BOXES, 4]; labels int64 and
    ignored bool [n, MAX_BOXES]; cores and outlines uint8 [n, s/2, s/2]: the line's height in pixels inside its
    shrunk core and inside its outline, HIDDEN_LINE for ignored lines; negative_weight float32 [n, 12]."""

    images: Tensor
    boxes: Tensor
    labels: Tensor
    ignored: Tensor
    cores: Tensor
    outlines: Tensor
    negative_weight: Tensor

    def __len__(self) -> int:
        return self.images.shape[0]


def _line_maps(sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    side = sample.image.shape[0] // TEXT_CELL_PX
    cores, outlines = np.zeros((side, side), np.uint8), np.zeros((side, side), np.uint8)
    for line, ignored in zip(sample.lines, sample.lines_ignored, strict=True):
        height = line_height(line)
        level = HIDDEN_LINE if ignored else int(np.clip(round(height), 1, HIDDEN_LINE - 1))
        shape = np.int32(np.round(line / TEXT_CELL_PX * 16))
        cv2.fillPoly(outlines, [shape], level, shift=4)
        cv2.fillPoly(cores, [shape], 0, shift=4)
        if not ignored:
            core = shrink_quad(line, SHRINK_RATIO)
            cv2.fillPoly(cores, [np.int32(np.round(core / TEXT_CELL_PX * 16))], level, shift=4)
    return cores, outlines


def entries_of(samples: list[Sample]) -> Entries:
    """Stacks samples; of more than MAX_BOXES boxes the largest stay."""
    count = len(samples)
    boxes = np.zeros((count, MAX_BOXES, 4), np.float32)
    labels = np.full((count, MAX_BOXES), NO_BOX, np.int64)
    ignored = np.zeros((count, MAX_BOXES), bool)
    cores, outlines = [], []
    for i, sample in enumerate(samples):
        keep = np.argsort(-areas(sample.boxes))[:MAX_BOXES]
        boxes[i, : len(keep)] = sample.boxes[keep]
        labels[i, : len(keep)] = sample.labels[keep]
        ignored[i, : len(keep)] = sample.ignored[keep]
        core, outline = _line_maps(sample)
        cores.append(core)
        outlines.append(outline)
    return Entries(
        torch.from_numpy(np.stack([s.image for s in samples])),
        torch.from_numpy(boxes),
        torch.from_numpy(labels),
        torch.from_numpy(ignored),
        torch.from_numpy(np.stack(cores)),
        torch.from_numpy(np.stack(outlines)),
        torch.from_numpy(np.stack([s.negative_weight for s in samples]).astype(np.float32)),
    )


class DevicePool:
    """A ring of samples in device memory; new ones replace the oldest."""

    def __init__(self, capacity: int, device: torch.device):
        self.capacity, self.device = capacity, device
        self.count = self.position = 0
        self.store: Entries | None = None

    def add(self, entries: Entries) -> None:
        """Takes in samples of the pool's size."""
        if self.store is None:
            shapes = {f.name: getattr(entries, f.name) for f in fields(Entries)}
            self.store = Entries(
                **{
                    n: torch.empty((self.capacity, *t.shape[1:]), dtype=t.dtype, device=self.device)
                    for n, t in shapes.items()
                }
            )
        places = (torch.arange(len(entries), device=self.device) + self.position) % self.capacity
        for f in fields(Entries):
            getattr(self.store, f.name)[places] = getattr(entries, f.name).to(self.device, non_blocking=True)
        self.position = (self.position + len(entries)) % self.capacity
        self.count = min(self.capacity, self.count + len(entries))

    def views(self, batch_size: int, side: int) -> "Views":
        """Random `side` × `side` views; MOSAIC_SHARE of them are windows of four samples side by side."""
        if self.store is None or not self.count:
            raise ValueError("the pool is empty")
        mosaics = round(batch_size * MOSAIC_SHARE)
        single = self._windows(batch_size - mosaics, side)
        return _joined(single, self._mosaics(mosaics, side)) if mosaics else single

    def _draw(self, count: int) -> Tensor:
        return torch.randint(self.count, (count,), device=self.device)

    def _windows(self, count: int, side: int) -> "Views":
        """Views as `loader.augmented` draws them: at scale, whole, zoomed; some mirrored, some shrunk with padding."""
        store, device = self.store, self.device
        assert store is not None
        whole = store.images.shape[1]
        index = self._draw(count)
        kind = torch.rand(count, device=device)
        zoom = torch.randint(side // 2, whole + 1, (count,), device=device).float()
        cut = torch.where(kind < 0.45, float(side), torch.where(kind < 0.75, float(whole), zoom)).clamp(max=whole)
        corner = (
            (torch.rand(count, 2, device=device) * (whole - cut + 1)[:, None]).floor().minimum((whole - cut)[:, None])
        )
        shrunk = torch.rand(count, device=device) < 0.15
        share = torch.where(shrunk[:, None], 0.45 + 0.55 * torch.rand(count, 2, device=device), 1.0)
        size = (side * share).floor()
        scale = size / cut[:, None]
        flip = kind > 0.97
        return _warped(store, index, scale, -corner * scale, size, flip, side)

    def _mosaics(self, count: int, side: int) -> "Views":
        store, device = self.store, self.device
        assert store is not None
        tile = int(side * TILE_SHARE) // 2 * 2
        index = self._draw(4 * count)
        scale = torch.full((4 * count, 2), tile / store.images.shape[1], device=device)
        zero = torch.zeros(4 * count, 2, device=device)
        no_flip = torch.zeros(4 * count, dtype=torch.bool, device=device)
        tiles = _warped(store, index, scale, zero, zero + tile, no_flip, tile)
        return _cut(_assembled(tiles, count, tile), side)


@dataclass
class Views:
    """Views with their labels. images uint8 [n, 3, s, s]; the rest as Entries, `kind` uint8 [n, s/2, s/2]: 0 no
    writing, 1 core of a line, 2 ignored."""

    images: Tensor
    boxes: Tensor
    labels: Tensor
    ignored: Tensor
    kind: Tensor
    negative_weight: Tensor


def _joined(a: Views, b: Views) -> Views:
    more = max(a.boxes.shape[1], b.boxes.shape[1])

    def padded(views: Views) -> Views:
        room = more - views.boxes.shape[1]
        return Views(
            views.images,
            functional.pad(views.boxes, (0, 0, 0, room)),
            functional.pad(views.labels, (0, room), value=NO_BOX),
            functional.pad(views.ignored, (0, room)),
            views.kind,
            views.negative_weight,
        )

    a, b = padded(a), padded(b)
    return Views(*(torch.cat([getattr(a, f.name), getattr(b, f.name)]) for f in fields(Views)))


def _mapped_boxes(
    boxes: Tensor, labels: Tensor, ignored: Tensor, scale: Tensor, shift: Tensor, size: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """As `sample.mapped_labels`: boxes under `x · scale + shift` cut to `size`, hardly visible ones ignored."""
    moved = boxes * scale.repeat(1, 2)[:, None] + shift.repeat(1, 2)[:, None]
    cut = torch.minimum(moved.clamp(min=0), size.repeat(1, 2)[:, None])
    extent, before = cut[..., 2:] - cut[..., :2], moved[..., 2:] - moved[..., :2]
    visible = extent.prod(-1) / before.prod(-1).clamp(min=1e-6)
    present = extent.amin(-1) > 0.5
    weak = (visible <= MIN_VISIBLE) | (extent.amax(-1) < MIN_LONG_SIDE_PX)
    return cut, torch.where(present, labels, NO_BOX), ignored | weak


def _sampling_grid(scale: Tensor, shift: Tensor, flip: Tensor, side: int, out: int, whole: int) -> Tensor:
    """Coordinates for grid_sample [n, out, out, 2]: view pixel to source pixel, both in -1…1 of their edges."""
    steps = (torch.arange(out, device=scale.device) + 0.5) * (side / out)
    x = steps[None].expand(len(scale), -1)
    x = torch.where(flip[:, None], side - x, x)
    source_x = (x - shift[:, :1]) / scale[:, :1]
    source_y = (steps[None] - shift[:, 1:]) / scale[:, 1:]
    grid_x = (source_x * (2 / whole) - 1)[:, None, :].expand(-1, out, -1)
    grid_y = (source_y * (2 / whole) - 1)[:, :, None].expand(-1, -1, out)
    return torch.stack([grid_x, grid_y], -1)


def _warped(
    store: Entries, index: Tensor, scale: Tensor, shift: Tensor, size: Tensor, flip: Tensor, side: int
) -> Views:
    """Views of samples under an axis-parallel map; beyond `size` lies padding. Shrunk images are smoothed first."""
    whole = store.images.shape[1]
    source = store.images[index].permute(0, 3, 1, 2).float()
    grid = _sampling_grid(scale, shift, flip, side, side, whole)
    images = functional.grid_sample(source, grid, mode="bilinear", padding_mode="border", align_corners=False)
    reduced = (scale.amin(1) < 0.75).nonzero()[:, 0]
    if len(reduced):
        smooth = functional.avg_pool2d(source[reduced], 2)
        smooth = functional.grid_sample(
            smooth, grid[reduced], mode="bilinear", padding_mode="border", align_corners=False
        )
        images[reduced] = smooth
    steps = torch.arange(side, device=index.device)
    mirrored_steps = torch.where(flip[:, None], side - 1 - steps[None], steps[None])
    outside = (mirrored_steps >= size[:, :1])[:, None, :] | (steps[None] >= size[:, 1:])[:, :, None]
    images.masked_fill_(outside[:, None], 114)
    boxes, labels, ignored = _mapped_boxes(
        store.boxes[index], store.labels[index], store.ignored[index], scale, shift, size
    )
    mirrored_boxes = torch.stack([side - boxes[..., 2], boxes[..., 1], side - boxes[..., 0], boxes[..., 3]], -1)
    boxes = torch.where(flip[:, None, None], mirrored_boxes, boxes)
    kind = _text_kind(store, index, scale, shift, flip, side)
    kind.masked_fill_(outside[:, ::2, ::2], 0)
    return Views(images.round_().to(torch.uint8), boxes, labels, ignored, kind, store.negative_weight[index])


def _text_kind(store: Entries, index: Tensor, scale: Tensor, shift: Tensor, flip: Tensor, side: int) -> Tensor:
    """As `targets.text_maps`, from maps of heights: a core too low at the view's scale is ignored."""
    whole = store.images.shape[1]
    grid = _sampling_grid(scale, shift, flip, side, side // TEXT_CELL_PX, whole)
    maps = torch.stack([store.cores[index], store.outlines[index]], 1).float()
    core, outline = functional.grid_sample(
        maps, grid, mode="nearest", padding_mode="zeros", align_corners=False
    ).unbind(1)
    factor = scale.amin(1)[:, None, None]
    hidden = (outline == HIDDEN_LINE) | ((outline > 0) & (outline * factor < MIN_OUTLINE_HEIGHT_PX))
    learnt = (core > 0) & (core * factor >= MIN_CORE_HEIGHT_PX)
    hidden |= (core > 0) & ~learnt
    return torch.where(learnt, 1, torch.where(hidden, 2, 0)).to(torch.uint8)


def _assembled(tiles: Views, count: int, tile: int) -> Views:
    """Four tiles each as one canvas; the weakest knowledge of a category holds for the whole."""

    def canvas(maps: Tensor) -> Tensor:
        rows = maps.view(count, 2, 2, *maps.shape[1:])
        return torch.cat([torch.cat([rows[:, y, 0], rows[:, y, 1]], -1) for y in (0, 1)], -2)

    offset = torch.tensor([[0, 0], [tile, 0], [0, tile], [tile, tile]], device=tiles.boxes.device).float()
    boxes = tiles.boxes.view(count, 4, -1, 4) + offset.repeat(1, 2)[None, :, None]
    return Views(
        canvas(tiles.images),
        boxes.view(count, -1, 4),
        tiles.labels.view(count, -1),
        tiles.ignored.view(count, -1),
        canvas(tiles.kind),
        tiles.negative_weight.view(count, 4, -1).amin(1),
    )


def _cut(views: Views, side: int) -> Views:
    """A random `side` × `side` window of each canvas, on even pixels."""
    count, device = len(views.images), views.images.device
    room = views.images.shape[-1] - side
    corner = torch.randint(room // 2 + 1, (count, 2), device=device) * 2

    def window(maps: Tensor, extent: int, step: int) -> Tensor:
        steps = torch.arange(extent, device=device)
        rows = (corner[:, 1:] // step + steps)[:, :, None]
        columns = (corner[:, :1] // step + steps)[:, None, :]
        owner = torch.arange(count, device=device)[:, None, None]
        return (
            maps.movedim(1, -1)[owner, rows, columns].movedim(-1, 1) if maps.dim() == 4 else maps[owner, rows, columns]
        )

    one = torch.ones(count, 2, device=device)
    boxes, labels, ignored = _mapped_boxes(views.boxes, views.labels, views.ignored, one, -corner.float(), one * side)
    return Views(
        window(views.images, side, 1),
        boxes,
        labels,
        ignored,
        window(views.kind, side // TEXT_CELL_PX, TEXT_CELL_PX),
        views.negative_weight,
    )

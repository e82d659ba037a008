"""The network behind the scene map, and the classes that it tells apart."""

import torch
from torch import Tensor, nn

MIDDLE_CHANNELS, TOP_CHANNELS = 112, 1280

SCENE_CLASSES: dict[str, tuple[str, ...]] = {
    "person": ("person",),
    "animal": (
        "bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", "teddy bear",
    ),
    "clock": ("clock",),
    "television": ("tv",),
    "laptop": ("laptop",),
    "phone": ("cell phone", "remote"),
    "book": ("book",),
    "vehicle": ("bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat"),
    "vessel": ("bottle", "wine glass", "cup", "vase", "bowl"),
    "ball": ("sports ball", "kite", "umbrella", "frisbee", "apple", "orange", "donut"),
    "signal": ("traffic light", "stop sign", "parking meter", "fire hydrant"),
    "furniture": ("chair", "couch", "bed", "dining table", "bench", "potted plant", "toilet", "sink"),
    "appliance": ("keyboard", "mouse", "microwave", "oven", "refrigerator"),
}  # fmt: skip
"""COCO's names of the things that each class of the map stands for."""

CHANNELS, DROPOUT = 48, 0.15


class SceneHead(nn.Module):
    """The backbone's middle and top maps, [n, 112, c, c] and [n, 1280, c/2, c/2], to logits [n, classes, c, c]."""

    def __init__(self) -> None:
        super().__init__()
        for name, channels in (("middle", MIDDLE_CHANNELS), ("top", TOP_CHANNELS)):
            self.register_buffer(f"{name}_mean", torch.zeros(channels, 1, 1))
            self.register_buffer(f"{name}_deviation", torch.ones(channels, 1, 1))
        self.of_middle, self.of_top = nn.Conv2d(MIDDLE_CHANNELS, CHANNELS, 1), nn.Conv2d(TOP_CHANNELS, CHANNELS, 1)
        self.of_all, self.dropout = nn.Linear(TOP_CHANNELS, CHANNELS), nn.Dropout2d(DROPOUT)
        self.mix, self.out = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1), nn.Conv2d(CHANNELS, len(SCENE_CLASSES), 1)

    def forward(self, middle: Tensor, top: Tensor) -> Tensor:
        near, far = (middle - self.middle_mean) / self.middle_deviation, (top - self.top_mean) / self.top_deviation
        around = nn.functional.interpolate(self.of_top(self.dropout(far)), scale_factor=2.0, mode="nearest")
        cells = self.of_middle(near) + around + self.of_all(far.mean((2, 3)))[:, :, None, None]
        return self.out(torch.relu(self.mix(torch.relu(cells))))

"""Published detectors whose findings serve as pseudo-labels. Their weights are given at run time."""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import zxingcpp

from .geometry import areas, suppress

COCO_CLASSES: dict[int, str] = {
    0: "person", 1: "bicycle", 2: "car", 3: "motorcycle", 5: "bus", 7: "truck", 9: "traffic light",
    11: "stop sign", 62: "tv", 63: "laptop", 67: "cell phone", 73: "book",
}  # fmt: skip
"""The COCO classes that say something about our categories, by index in the 80-class list."""

COCO_NAMES: dict[int, str] = dict(
    enumerate(
        "person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,"
        "stop sign,parking meter,bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,"
        "backpack,umbrella,handbag,tie,suitcase,frisbee,skis,snowboard,sports ball,kite,baseball"
        "bat,baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,fork,knife,"
        "spoon,bowl,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,"
        "couch,potted plant,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,"
        "microwave,oven,toaster,sink,refrigerator,book,clock,vase,scissors,teddy bear,hair drier,"
        "toothbrush".split(",")
    )
)
"""All 80 classes, as the COCO dataset lists them."""

IMAGENET_MEAN = np.float32([123.675, 116.28, 103.53])
IMAGENET_STD = np.float32([58.395, 57.12, 57.375])


def _session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


@dataclass
class Findings:
    """Boxes float32 [n, 4] in image pixels with scores float32 [n]."""

    boxes: np.ndarray
    scores: np.ndarray

    @staticmethod
    def none() -> "Findings":
        """No finding."""
        return Findings(np.zeros((0, 4), np.float32), np.zeros(0, np.float32))

    def suppressed(self, iou: float) -> "Findings":
        """After greedy suppression."""
        keep = suppress(self.boxes, self.scores, iou)
        return Findings(self.boxes[keep], self.scores[keep])


class FaceTeacher:
    """YuNet (libfacedetection): faces at strides 8, 16, 32; BGR 0…255."""

    STRIDES = (8, 16, 32)

    def __init__(self, folder: Path):
        self.session = _session(folder / "yunet_n_dynamic.onnx")
        self.names = [f"{kind}_{stride}" for kind in ("cls", "obj", "bbox") for stride in self.STRIDES]

    def __call__(self, image: np.ndarray, long_side: int, threshold: float = 0.3) -> Findings:
        """Faces of an RGB image looked at with its long side resized to `long_side` pixels."""
        scale = long_side / max(image.shape[:2])
        size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        height, width = (-(-s // 32) * 32 for s in small.shape[:2])
        padded = np.zeros((height, width, 3), np.float32)
        padded[: small.shape[0], : small.shape[1]] = small[:, :, ::-1]
        outputs = self.session.run(self.names, {"input": padded.transpose(2, 0, 1)[None]})
        boxes, scores = [], []
        for level, stride in enumerate(self.STRIDES):
            classes, objectness = (np.clip(outputs[level + 3 * k].reshape(-1), 0, 1) for k in (0, 1))
            offsets = outputs[level + 6].reshape(-1, 4)
            score = np.sqrt(classes * objectness)
            index = np.where(score > threshold)[0]
            columns = width // stride
            centre = np.stack([index % columns, index // columns], 1) + offsets[index, :2]
            half = np.exp(offsets[index, 2:]) / 2
            boxes.append(np.concatenate([centre - half, centre + half], 1) * stride / scale)
            scores.append(score[index])
        found = Findings(np.concatenate(boxes).astype(np.float32), np.concatenate(scores))
        return found.suppressed(0.45) if len(found.scores) else Findings.none()


class TextTeacher:
    """PP-OCRv3 text detection: a map of line cores, grown back to lines (DBNet, Liao et al. 2020)."""

    UNCLIP = 1.6

    def __init__(self, folder: Path):
        self.session = _session(folder / "ch_PP-OCRv3_det_infer.onnx")

    def __call__(
        self, image: np.ndarray, long_side: int, threshold: float = 0.3, min_score: float = 0.45
    ) -> tuple[np.ndarray, np.ndarray]:
        """Line quads float32 [n, 4, 2] in image pixels and their scores [n]."""
        scale = long_side / max(image.shape[:2])
        width, height = (max(32, round(s * scale / 32) * 32) for s in (image.shape[1], image.shape[0]))
        pixels = (cv2.resize(image, (width, height)).astype(np.float32) - IMAGENET_MEAN) / IMAGENET_STD
        probability = self.session.run(None, {"x": pixels[..., ::-1].transpose(2, 0, 1)[None]})[0][0, 0]
        contours, _ = cv2.findContours(
            (probability > threshold).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE
        )
        back = np.float32([image.shape[1] / width, image.shape[0] / height])
        quads, scores = [], []
        for contour in contours:
            (x, y), (w, h), angle = cv2.minAreaRect(contour)
            if min(w, h) < 2:
                continue
            left, top, bw, bh = cv2.boundingRect(contour)
            mask = np.zeros((bh, bw), np.uint8)
            cv2.fillPoly(mask, [contour - [left, top]], 1)
            score = cv2.mean(probability[top : top + bh, left : left + bw], mask)[0]
            if score < min_score:
                continue
            grow = 2 * w * h * self.UNCLIP / (2 * (w + h))
            quads.append(cv2.boxPoints(((x, y), (w + grow, h + grow), angle)) * back)
            scores.append(score)
        return np.float32(quads).reshape(-1, 4, 2), np.float32(scores)


class ObjectTeacher:
    """PicoDet-S 416 on COCO: boxes as distributions over eight bins at strides 8 to 64."""

    STRIDES = (8, 16, 32, 64)
    SIDE = 416

    def __init__(self, folder: Path):
        self.session = _session(folder / "picodet_s_416_coco.onnx")
        self.input = self.session.get_inputs()[0].name

    def __call__(
        self, image: np.ndarray, threshold: float = 0.3, classes: dict[int, str] = COCO_CLASSES
    ) -> dict[str, Findings]:
        """Findings by COCO class name, for some classes by their index."""
        pixels = cv2.resize(image, (self.SIDE, self.SIDE)).astype(np.float32)
        pixels = ((pixels - IMAGENET_MEAN) / IMAGENET_STD).transpose(2, 0, 1)[None]
        outputs = self.session.run(None, {self.input: pixels})
        scores, boxes = [], []
        for level, stride in enumerate(self.STRIDES):
            logits = outputs[level + 4][0].reshape(-1, 4, 8)
            weights = np.exp(logits - logits.max(2, keepdims=True))
            distance = (weights * np.arange(8)).sum(2) / weights.sum(2) * stride
            columns = -(-self.SIDE // stride)
            index = np.arange(len(distance))
            centre = (np.stack([index % columns, index // columns], 1) + 0.5) * stride
            boxes.append(np.concatenate([centre - distance[:, :2], centre + distance[:, 2:]], 1))
            scores.append(outputs[level][0])
        score, box = np.concatenate(scores), np.concatenate(boxes).astype(np.float32)
        box *= np.float32([image.shape[1] / self.SIDE, image.shape[0] / self.SIDE] * 2)
        found = {}
        for index, name in classes.items():
            keep = score[:, index] > threshold
            if keep.any():
                found[name] = Findings(box[keep], score[keep, index]).suppressed(0.5)
        return found


class PlateTeacher:
    """LPD-YuNet: plates as four corners relative to anchor boxes (SSD encoding, variance 0.1)."""

    WIDTH, HEIGHT = 320, 240
    MIN_SIZES = ((10, 16, 24), (32, 48), (64, 96), (128, 192, 256))
    STEPS = (8, 16, 32, 64)
    CORNER_COLUMNS = (4, 6, 10, 12)

    def __init__(self, folder: Path):
        self.session = _session(folder / "license_plate_detection_lpd_yunet_2022may.onnx")
        priors = []
        for sizes, step in zip(self.MIN_SIZES, self.STEPS, strict=True):
            for row in range(self.HEIGHT // step):
                for column in range(self.WIDTH // step):
                    x, y = (column + 0.5) * step, (row + 0.5) * step
                    priors += [(x, y, size, size) for size in sizes]
        self.priors = np.float32(priors)

    def __call__(self, image: np.ndarray, threshold: float = 0.4) -> Findings:
        """Plates as boxes around their corners."""
        pixels = cv2.resize(image, (self.WIDTH, self.HEIGHT))[:, :, ::-1].astype(np.float32)
        offsets, classes, quality = self.session.run(["loc", "conf", "iou"], {"input": pixels.transpose(2, 0, 1)[None]})
        score = np.sqrt(classes[:, 1] * np.clip(quality[:, 0], 0, 1))
        keep = score > threshold
        priors = self.priors[keep]
        corners = [priors[:, :2] + offsets[keep][:, c : c + 2] * 0.1 * priors[:, 2:] for c in self.CORNER_COLUMNS]
        points = np.stack(corners, 1) * np.float32([image.shape[1] / self.WIDTH, image.shape[0] / self.HEIGHT])
        boxes = np.concatenate([points.min(1), points.max(1)], 1).astype(np.float32).reshape(-1, 4)
        found = Findings(boxes, score[keep])
        return found.suppressed(0.3) if keep.any() and areas(boxes).min() >= 0 else Findings.none()


def read_codes(image: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Codes that decode: symbology name and corner quad [4, 2] in pixels."""
    found = []
    for code in zxingcpp.read_barcodes(image):
        p = code.position
        corners = [(c.x, c.y) for c in (p.top_left, p.top_right, p.bottom_right, p.bottom_left)]
        found.append((str(code.format).split(".")[-1], np.float32(corners)))
    return found

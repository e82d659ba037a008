"""What cameras and codecs do to a picture."""

import math
from random import Random

import cv2
import numpy as np


def _blurred(rng: Random, image: np.ndarray) -> np.ndarray:
    if rng.random() < 0.7:
        return cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.7))
    side = rng.randint(3, 9)
    kernel = np.zeros((side, side), np.float32)
    cv2.line(kernel, (0, rng.randint(0, side - 1)), (side - 1, rng.randint(0, side - 1)), 1.0)
    return cv2.filter2D(image, -1, kernel / max(1.0, float(kernel.sum())))


def _exposed(rng: Random, image: np.ndarray, noise: np.random.Generator) -> np.ndarray:
    """Gamma, gain, white balance, darkness and sensor noise."""
    light = image.astype(np.float32)
    if rng.random() < 0.6:
        gamma = math.exp(rng.gauss(0, 0.3))
        light = 255 * np.power(light / 255, gamma) * rng.uniform(0.7, 1.15) + rng.uniform(-15, 15)
    if rng.random() < 0.35:
        light = light * np.float32([rng.uniform(0.85, 1.15) for _ in range(3)])
    dark = rng.random() < 0.08
    if dark:
        light = light * rng.uniform(0.22, 0.5)
    if dark or rng.random() < 0.25:
        channels = 1 if rng.random() < 0.5 else 3
        shape = (*image.shape[:2], channels)
        light = light + noise.standard_normal(shape, np.float32) * rng.uniform(2, 14)
    return np.clip(light, 0, 255).astype(np.uint8)


def degrade(rng: Random, image: np.ndarray) -> np.ndarray:
    """RGB uint8 [h, w, 3] with blur, exposure, noise, lost colour and JPEG or low-resolution artefacts."""
    noise = np.random.default_rng(rng.getrandbits(63))
    if rng.random() < 0.25:
        image = _blurred(rng, image)
    if rng.random() < 0.75:
        image = _exposed(rng, image, noise)
    if rng.random() < 0.06:
        image = np.repeat(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)[..., None], 3, 2)
    if rng.random() < 0.12:
        h, w = image.shape[:2]
        ratio = rng.uniform(0.35, 0.8)
        small = cv2.resize(image, (max(8, int(w * ratio)), max(8, int(h * ratio))), interpolation=cv2.INTER_AREA)
        image = cv2.resize(small, (w, h), interpolation=rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC]))
    if rng.random() < 0.5:
        encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, rng.randint(22, 92)])[1]
        image = cv2.imdecode(encoded, cv2.IMREAD_COLOR)
    return np.ascontiguousarray(image)

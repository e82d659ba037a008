"""Puts a flat patch into a scene: pose, perspective, light, occlusion of what was there."""

import math
from random import Random

import cv2
import numpy as np

from ..categories import INDEX
from ..geometry import areas, box_of_quad, clip_boxes, project
from ..sample import MIN_VISIBLE, Sample
from .canvas import Patch

HIDDEN = 0.7
"""Share of an older label under a new object from which it is gone; from 0.3 on it is ignored."""
TOUCHED = 0.3
MIN_LABEL_LONG_PX, MIN_LABEL_SHORT_PX = 9.0, 3.5


def pose(
    rng: Random, patch: Patch, long_side_px: float, centre: tuple[float, float], upright: bool, tilt: float = 1.0
) -> np.ndarray:
    """Homography [3, 3] of a patch seen by a pinhole camera at a random angle.

    `upright` keeps the roll small (signs, screens on desks); `tilt` scales yaw and pitch.
    """
    roll = rng.gauss(0, 0.08 if upright else 0.16)
    if not upright and rng.random() < 0.15:
        roll += rng.choice([math.pi / 2, -math.pi / 2, math.pi, rng.uniform(-0.8, 0.8)])
    yaw = pitch = 0.0
    if rng.random() < 0.8:
        yaw = float(np.clip(rng.gauss(0, 0.38 * tilt), -1.1, 1.1))
        pitch = float(np.clip(rng.gauss(0, 0.28 * tilt), -1.0, 1.0))
    scale = long_side_px / max(patch.width, patch.height)
    half_w, half_h = patch.width * scale / 2, patch.height * scale / 2
    corners = np.float64([[-half_w, -half_h, 0], [half_w, -half_h, 0], [half_w, half_h, 0], [-half_w, half_h, 0]])
    cy, sy, cp, sp, cr, sr = (f(a) for a in (yaw, pitch, roll) for f in (math.cos, math.sin))
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    about_z = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    seen = corners @ (about_z @ about_y @ about_x).T
    focal = long_side_px * rng.uniform(1.5, 4)
    flat = seen[:, :2] * (focal / (focal + seen[:, 2:])) + np.float64(centre)
    source = np.float32([[0, 0], [patch.width, 0], [patch.width, patch.height], [0, patch.height]])
    return cv2.getPerspectiveTransform(source, flat.astype(np.float32))


def place(rng: Random, scene: Sample, patch: Patch, homography: np.ndarray) -> None:
    """Draws a patch into a scene through a homography; updates the scene's labels in place."""
    height, width = scene.image.shape[:2]
    corners = np.float32([[0, 0], [patch.width, 0], [patch.width, patch.height], [0, patch.height]])
    seen = box_of_quad(project(corners, homography))
    x0, y0 = (int(max(0, math.floor(v) - 2)) for v in seen[:2])
    x1, y1 = int(min(width, math.ceil(seen[2]) + 2)), int(min(height, math.ceil(seen[3]) + 2))
    if x1 - x0 < 3 or y1 - y0 < 3:
        return
    image, alpha, scaled = _minified(patch, homography)
    shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]], np.float64)
    size = x1 - x0, y1 - y0
    warped = cv2.warpPerspective(image, shift @ scaled, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cover = cv2.warpPerspective(alpha, shift @ scaled, size, flags=cv2.INTER_LINEAR)
    _blend(rng, scene.image[y0:y1, x0:x1], warped, cover, patch.multiply)
    if not patch.multiply:
        _hide(scene, cover > 0.5, x0, y0)
    _label(scene, patch, homography, width, height)


def _minified(patch: Patch, homography: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Patch reduced by area averaging before a strongly shrinking warp, against aliasing."""
    corners = np.float32([[0, 0], [patch.width, 0], [patch.width, patch.height], [0, patch.height]])
    quad = project(corners, homography)
    edges = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    ratio = max(edges[0], edges[2]) / patch.width, max(edges[1], edges[3]) / patch.height
    if max(ratio) > 0.75:
        return patch.image, patch.alpha, homography
    width = max(3, round(patch.width * min(1, ratio[0] * 1.15)))
    height = max(3, round(patch.height * min(1, ratio[1] * 1.15)))
    back = np.diag([patch.width / width, patch.height / height, 1.0])
    size = width, height
    image = cv2.resize(patch.image, size, interpolation=cv2.INTER_AREA)
    return image, cv2.resize(patch.alpha, size, interpolation=cv2.INTER_AREA), homography @ back


def _blend(rng: Random, area: np.ndarray, warped: np.ndarray, cover: np.ndarray, multiply: bool) -> None:
    under = area.astype(np.float32)
    if multiply:
        light = under.mean(2, keepdims=True) / 200
        over = warped * np.clip(light, 0.25, 1.3)
        over = np.minimum(over, under * 1.05 + 8)
    else:
        over = warped
        if rng.random() < 0.4:
            ramp = np.linspace(rng.uniform(0.6, 1.1), rng.uniform(0.6, 1.1), warped.shape[1], dtype=np.float32)
            over = over * ramp[None, :, None]
        if rng.random() < 0.35:
            level = float(np.clip(under.mean() / 128, 0.35, 1.25))
            over = over * (0.4 + 0.6 * level)
        if rng.random() < 0.4 and min(cover.shape) > 12:
            shifted = np.roll(cover, (rng.randint(1, 6), rng.randint(-4, 4)), (0, 1))
            shadow = cv2.GaussianBlur(shifted, (0, 0), 3) * rng.uniform(0.1, 0.5)
            under = under * (1 - shadow[..., None])
    weight = cover[..., None]
    area[:] = np.clip(under * (1 - weight) + over * weight, 0, 255).astype(np.uint8)


def _hide(scene: Sample, solid: np.ndarray, x: int, y: int) -> None:
    """Drops or ignores older labels under the new object's pixels."""
    if not len(scene.boxes) and not len(scene.lines):
        return
    sums = np.zeros((solid.shape[0] + 1, solid.shape[1] + 1), np.float32)
    sums[1:, 1:] = solid.astype(np.float32).cumsum(0).cumsum(1)

    def hidden(boxes: np.ndarray) -> np.ndarray:
        local = np.round(boxes - np.float32([x, y, x, y])).astype(int)
        local[:, [0, 2]] = local[:, [0, 2]].clip(0, solid.shape[1])
        local[:, [1, 3]] = local[:, [1, 3]].clip(0, solid.shape[0])
        a, b, c, d = local.T
        return (sums[d, c] - sums[b, c] - sums[d, a] + sums[b, a]) / np.maximum(areas(boxes), 1)

    share = hidden(scene.boxes)
    keep = share < HIDDEN
    scene.ignored = (scene.ignored | (share >= TOUCHED))[keep]
    scene.boxes, scene.labels = scene.boxes[keep], scene.labels[keep]
    if len(scene.lines):
        share = hidden(np.concatenate([scene.lines.min(1), scene.lines.max(1)], 1))
        keep = share < HIDDEN
        scene.lines_ignored = (scene.lines_ignored | (share > 0.1))[keep]
        scene.lines = scene.lines[keep]


def _label(scene: Sample, patch: Patch, homography: np.ndarray, width: int, height: int) -> None:
    for category, quad in patch.objects:
        whole = box_of_quad(project(quad, homography))[None]
        cut = clip_boxes(whole, width, height)
        visible = float(areas(cut)[0] / max(float(areas(whole)[0]), 1e-6))
        if visible < 0.05:
            continue
        size = cut[0, 2:] - cut[0, :2]
        weak = visible < MIN_VISIBLE or size.max() < MIN_LABEL_LONG_PX or size.min() < MIN_LABEL_SHORT_PX
        scene.add_boxes(cut, np.array([INDEX[category]]), np.array([weak]))
    for quads, faint in ((patch.lines, False), (patch.faint_lines, True)):
        if quads:
            lines = project(np.stack(quads), homography)
            low, high = lines.min(1), lines.max(1)
            on = (high > 0).all(1) & (low[:, 0] < width) & (low[:, 1] < height)
            scene.add_lines(lines[on], np.full(int(on.sum()), faint))

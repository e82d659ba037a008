from random import Random

import numpy as np
import pytest
import zxingcpp

from veil_training.categories import CATEGORIES, DETECTED, INDEX, WRITING
from veil_training.render import badges
from veil_training.render.canvas import Patch
from veil_training.render.codes import symbol
from veil_training.render.place import place, pose
from veil_training.render.scene import compose, plain_background
from veil_training.render.studio import TEMPLATES, Studio, draw
from veil_training.sample import Sample


@pytest.mark.parametrize("category", [c for c in CATEGORIES if c != "heads"])
def test_every_template_draws_what_it_is_registered_for(studio: Studio, category: str):
    assert {t.held_out for t in TEMPLATES[category]} == {True, False}
    for template in TEMPLATES[category]:
        patch = template.make(studio)
        if category == WRITING:
            assert patch.lines
        elif category == "tattoos":
            assert all(name == category for name, _ in patch.objects)
        else:
            assert category in [name for name, _ in patch.objects]


def test_a_drawn_code_decodes(studio: Studio):
    for symbology in ("QRCode", "EAN13", "DataMatrix"):
        ink = symbol(studio, symbology)
        rows = 60 if ink.shape[0] == 1 or symbology == "EAN13" else 1
        modules = np.kron(ink[:1] if rows > 1 else ink, np.ones((rows if rows > 1 else 4, 4)))
        picture = np.pad(255 - modules * 255, 40, constant_values=255).astype(np.uint8)
        found = zxingcpp.read_barcodes(picture)
        assert len(found) == 1, symbology


def test_the_label_is_where_the_pixels_are():
    rng = Random(5)
    for _ in range(10):
        scene = Sample.empty(np.zeros((256, 256, 3), np.uint8))
        patch = Patch(120, 60, (255, 255, 255))
        patch.mark("documents")
        place(rng, scene, patch, pose(rng, patch, 90, (128, 128), upright=False))
        ys, xs = np.where(scene.image[..., 0] > 60)
        assert np.allclose(scene.boxes[0], [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1], atol=4)


def test_the_box_of_a_worn_badge_spans_card_and_lanyard(studio: Studio, monkeypatch):
    monkeypatch.setattr(badges, "_cloth", lambda _, width, height: Patch(width, height, (0, 255, 0)))
    heights = []
    for _ in range(20):
        patch = badges._worn(studio, Patch(120, 180, (250, 250, 250)))
        ((category, quad),) = patch.objects
        assert category == "name_badges"
        ys, xs = np.where((np.abs(patch.image - (0, 255, 0)).max(2) > 40) & (patch.alpha > 0.5))
        assert np.allclose([*quad.min(0), *quad.max(0)], [xs.min(), ys.min(), xs.max(), ys.max()], atol=20)
        heights.append(quad[:, 1].max() - quad[:, 1].min())
    assert min(heights) == 180
    assert max(heights) > 2 * 180


def test_what_is_covered_is_no_longer_labelled():
    scene = Sample.empty(np.zeros((128, 128, 3), np.uint8))
    scene.add_boxes(np.float32([[50, 50, 70, 70]]), np.array([INDEX["heads"]]), np.array([False]))
    patch = Patch(100, 100)
    place(Random(1), scene, patch, np.diag([1.0, 1.0, 1.0]))
    assert len(scene.boxes) == 0


def test_scenes_hold_labels_inside_the_picture(studio: Studio):
    for _ in range(12):
        scene = compose(studio, plain_background(studio.rng, 256))
        assert scene.image.shape == (256, 256, 3)
        assert (scene.boxes >= 0).all() and (scene.boxes <= 256).all()
        assert all(0 <= label < len(DETECTED) for label in scene.labels)


def test_drawing_is_repeatable(fonts):
    first, second = (draw(Studio(Random(3), fonts), "passports").image for _ in range(2))
    assert np.array_equal(first, second)

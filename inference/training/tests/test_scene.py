"""The scene map: its windows, what it is taught, and how its weights are fitted."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from veil_training.categories import DETECTED
from veil_training.second_look.proposals import Proposals
from veil_training.second_look.scene import (
    SceneViews,
    cell_shares,
    read_objects,
    scene_windows,
    train_scene_head,
    wanted_map,
)
from veil_training.second_look.scene_head import SCENE_CLASSES, SceneHead
from veil_training.second_look.scene_weights import surroundings, weights_in_scene
from veil_training.teachers import COCO_NAMES

CLASSES = list(SCENE_CLASSES)


def objects(**boxes: list[list[float]]) -> dict[str, np.ndarray]:
    return {name: np.float32(boxes.get(name, [])).reshape(-1, 5) for name in CLASSES}


def test_classes_are_names_of_coco():
    assert len(COCO_NAMES) == 80
    assert {name for kinds in SCENE_CLASSES.values() for name in kinds} <= set(COCO_NAMES.values())


@pytest.mark.parametrize("width, height, count", [(300, 300, 1), (400, 300, 2), (300, 900, 3), (3000, 100, 3)])
def test_windows_show_the_whole_picture(width: int, height: int, count: int):
    windows = scene_windows(width, height)
    assert len(windows) == count
    assert windows[:, :2].min(0).max() <= 0
    assert (windows[:, :2] + windows[:, 2:]).max() >= max(width, height)


def test_a_cell_is_wanted_as_far_as_a_box_covers_it():
    window = np.float32([0, 0, 100])
    assert cell_shares(np.float32([10, 10, 25, 20]), window)[1, 1:3].tolist() == [1, 0.5]
    person = objects(person=[[10, 10, 20, 20, 0.8]])
    wanted = wanted_map(person, window, False)
    assert wanted[CLASSES.index("person"), 1, 1] == pytest.approx(0.92)
    assert np.count_nonzero(wanted) == 1
    assert wanted_map(person, window, True)[CLASSES.index("person"), 1, 8] == pytest.approx(0.92)


def test_objects_are_read_by_class_and_from_a_confidence_on(tmp_path: Path):
    found = {"cat": [[0, 0, 1, 1, 0.9]], "dog": [[0, 0, 2, 2, 0.1]], "tie": [[0, 0, 3, 3, 0.9]]}
    (tmp_path / "objects.jsonl").write_text(json.dumps({"file": "a.png", "objects": found}) + "\n")
    read = read_objects(tmp_path / "objects.jsonl")["a.png"]
    assert {name: len(boxes) for name, boxes in read.items() if len(boxes)} == {"animal": 1}


def views_of(persons: int, others: int) -> SceneViews:
    count = persons + others
    middle = np.zeros((count, 112, 10, 10), np.float16)
    middle[:persons, 0] = 1
    files = np.array([f"{'person' if i < persons else 'none'}{i}" for i in range(count)])
    windows, sizes = np.float32([[0, 0, 100]] * count), np.array([[100, 100]] * count)
    return SceneViews(files, sizes, windows, np.zeros(count, bool), middle, np.zeros((count, 1280, 5, 5), np.float16))


def test_the_head_learns_what_the_teacher_saw():
    views = views_of(8, 8)
    whole = [[0, 0, 100, 100, 1]]
    seen = {str(file): objects(person=whole) if file.startswith("person") else objects() for file in views.files}
    net = SceneHead()
    net.load_state_dict({k: v.float() for k, v in train_scene_head(views, seen, steps=60)["scene"].items()})
    with torch.no_grad():
        maps = net.eval()(*(torch.from_numpy(one.astype(np.float32)) for one in (views.middle, views.top)))
    own = maps[:, CLASSES.index("person")].sigmoid().mean((1, 2)).numpy()
    assert own[:8].min() > 0.8 > 0.2 > own[8:].max()


def test_what_stands_below_a_proposal_earns_its_weight():
    views, count = views_of(40, 40), 80
    maps = np.zeros((count, len(CLASSES), 10, 10), np.float32)
    maps[:40, CLASSES.index("person"), 5:] = 1
    known = np.full((count, len(DETECTED)), np.nan, np.float32)
    known[:, 0] = np.arange(count) < 40
    boxes = np.float32([[40, 30, 60, 50]] * count)
    columns = np.arange(count), boxes, np.zeros(count, int), np.full(count, 0.5, np.float32)
    proposals = Proposals(views.files, *columns, known, boxes)
    around = surroundings(proposals, views, maps)
    person = 3 * CLASSES.index("person")
    assert around[0, person : person + 3].tolist() == [0, 1, 0]
    assert around[0, -2:] == pytest.approx([np.log(20), np.log(0.2)])
    weights = weights_in_scene(0, proposals, np.zeros((count, len(DETECTED)), np.float32), around)["weights"]
    assert weights["person"][1] > 1
    assert weights["person"][0] == weights["animal"][1] == 0

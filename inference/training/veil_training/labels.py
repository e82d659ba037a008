"""Merges hand labels with pseudo-labels and says how far a photo's silence counts as absence."""

from typing import Any

import numpy as np

from .categories import DETECTED, INDEX, WRITING
from .geometry import areas, box_of_quad, grow_boxes, intersections, pairwise_iou, suppress
from .manifest import Photo, quad_of
from .pseudo_labels import novel
from .sample import Sample

UNKNOWN_WEIGHT = 0.5
"""Weight of an unlabelled place as a negative where instances may be unlabelled."""

RARE = ("id_cards", "passports", "credit_cards")
"""So rare in everyday photos that silence counts as absence, unless the photo is known to hold one."""

FACE_SURE, LONE_FACE_SURE, LINE_SURE, PLATE_SURE = 0.65, 0.86, 0.6, 0.85
OBJECT_SURE: dict[str, float] = {"tv": 0.5, "cell phone": 0.5, "stop sign": 0.5, "traffic light": 0.45}
"""Scores from which a teacher's object is learnt. A laptop never is: its box holds the keyboard too, or the back of its
lid alone, and a network that learns it boxes whole laptops where only the screen is wanted."""

OBJECT_CATEGORY = {
    "tv": "screens",
    "laptop": "screens",
    "cell phone": "screens",
    "stop sign": "street_signs",
    "traffic light": "street_signs",
}
"""Traffic lights count as street signs, as in the road-sign photos of the evaluation."""
OWN_SURE, OWN_SEEN = 0.6, 0.25
"""Scores of our own earlier network from which a box with a second witness is learnt, and from which it is at least
ignored. On photos labelled by eye, version 4 saw .93 of the heads from 0.42 up, with five false ones a photo; lower
scores than these taught hands and wheels."""

OWN_FAINT: dict[str, float] = {"heads": 0.4, "license_plates": 0.35, "street_signs": 0.4}
"""Scores under which most of what it saw is none, so that not even ignored."""

OWN_SURE_SEEN = 0.45
"""Score from which a head or plate of our own earlier network is learnt where a teacher saw it too."""

SILENT_WEIGHT = 0.75
SILENCE_COUNTS = ("heads", "license_plates", "street_signs", "name_badges", "qr_codes", "barcodes", "tattoos")
"""Categories of which an unlabelled place counts as a negative, however sure the network is, once an earlier
network of ours has looked at the photo: what it or a teacher suspects there is ignored, the rest is most
likely absent. With UNKNOWN_WEIGHT instead, heads fire on hands and cloth, since sure places are spared."""

OWN_MISTAKEN = ("id_cards", "passports", "credit_cards", "qr_codes", "barcodes", "tattoos")
"""Categories of which hardly anything that an earlier network of ours sees in everyday photos is one: of 1,188 boxes
that we looked at, 9 were. Sparing those places, as unsure ones, would keep every mistake alive."""

OWN_SURE_ALONE: dict[str, float] = {"heads": 0.72, "license_plates": 0.65, "street_signs": 0.7}
"""Scores from which a box of our own earlier network is learnt without a second witness."""

VEHICLES = ("car", "motorcycle", "bus", "truck")
HEAD_SHARE_OF_PERSON = 0.3


DENIED_IOU = 0.5
"""What overlaps a box so much that a person judged to be none is none either."""


def _denied(photo: Photo, category: str) -> np.ndarray:
    return np.float32([box for name, box in photo.denied if name == category]).reshape(-1, 4)


def head_of_face(boxes: np.ndarray) -> np.ndarray:
    """Whole heads [n, 4] from face boxes [n, 4]: hair, hat and ears included."""
    w, h = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    margins = np.stack([-0.2 * w, -0.42 * h, 0.2 * w, 0.1 * h], 1)
    return (boxes + margins).astype(np.float32)


def negative_weights(photo: Photo) -> np.ndarray:
    """Weight [12] of an unlabelled place as a negative: 1 known absent, 0.5 unknown, 0 known present somewhere."""
    weight = np.full(len(DETECTED), UNKNOWN_WEIGHT, np.float32)
    for name in (*RARE, *photo.complete_for):
        if name in INDEX:
            weight[INDEX[name]] = 1
    for label in photo.labels:
        if label.box is None and label.category in INDEX:
            weight[INDEX[label.category]] = 0
    return weight


def _table(rows: list[list[float]]) -> np.ndarray:
    return np.float32(rows).reshape(-1, 5)


def _sure_faces(faces: np.ndarray, persons: np.ndarray) -> np.ndarray:
    """Mask [n]: the teacher takes wheels and ornaments for faces, so a face outside any person must score higher."""
    centres = np.concatenate([(faces[:, :2] + faces[:, 2:4]) / 2] * 2, 1)
    on_person = np.zeros(len(faces), bool)
    if len(persons) and len(faces):
        inside = (centres[:, None, :2] > persons[None, :, :2]) & (centres[:, None, 2:] < persons[None, :, 2:])
        on_person = inside.all(2).any(1)
    return faces[:, 4] > np.where(on_person, FACE_SURE, LONE_FACE_SURE)


def _add_heads(sample: Sample, findings: dict[str, Any]) -> None:
    """Heads around faces; the top of a person without a face is ignored, since backs of heads are not found."""
    known = sample.boxes[(sample.labels == INDEX["heads"]) & ~sample.ignored]
    faces = _table(findings.get("faces", []))
    heads = head_of_face(faces[:, :4])
    fresh = novel(heads, known, 0.25)
    persons = _table(findings.get("objects", {}).get("person", []))[:, :4]
    sure = _sure_faces(faces, persons)
    sample.add_boxes(heads[fresh], np.full(fresh.sum(), INDEX["heads"]), ~sure[fresh])
    if not len(persons):
        return
    tops = _person_tops(findings, HEAD_SHARE_OF_PERSON)
    found = sample.boxes[sample.labels == INDEX["heads"]]
    empty = ~_holds(tops, found)
    sample.add_boxes(tops[empty], np.full(empty.sum(), INDEX["heads"]), np.ones(empty.sum(), bool))


def _ignore_labelled_tops(sample: Sample, photo: Photo) -> None:
    """Ignores tops of labelled persons without a head. Heads come first: on a portrait, a top would hide the face."""
    people = [label.box for label in photo.labels if label.category == "person" and label.box is not None]
    tops = np.float32([(x0, y0, x1, y0 + (y1 - y0) * HEAD_SHARE_OF_PERSON) for x0, y0, x1, y1 in people]).reshape(-1, 4)
    heads = sample.boxes[(sample.labels == INDEX["heads"]) & ~sample.ignored]
    empty = grow_boxes(tops[~_holds(tops, heads)], 0.1)
    sample.add_boxes(empty, np.full(len(empty), INDEX["heads"]), np.ones(len(empty), bool))


def _add_objects(sample: Sample, photo: Photo, findings: dict[str, Any]) -> None:
    objects = findings.get("objects", {})
    for name, category in OBJECT_CATEGORY.items():
        if category in photo.complete_for:
            continue
        rows = _table(objects.get(name, []))
        rows = rows[novel(rows[:, :4], sample.boxes[sample.labels == INDEX[category]])]
        sample.add_boxes(rows[:, :4], np.full(len(rows), INDEX[category]), rows[:, 4] < OBJECT_SURE.get(name, np.inf))
    books = _table(objects.get("book", []))[:, :4]
    sample.add_boxes(books, np.full(len(books), INDEX["documents"]), np.ones(len(books), bool))


def _vehicles(findings: dict[str, Any]) -> np.ndarray:
    return np.concatenate([_table(findings.get("objects", {}).get(v, []))[:, :4] for v in VEHICLES])


def _on_any(boxes: np.ndarray, grounds: np.ndarray, share: float) -> np.ndarray:
    """Mask [n] of the boxes of which at least `share` lies on one of `grounds`."""
    if not len(boxes) or not len(grounds):
        return np.zeros(len(boxes), bool)
    return intersections(boxes, grounds).max(1) / np.maximum(areas(boxes), 1e-3) >= share


def _thirds(box: np.ndarray) -> np.ndarray:
    """The nine parts [9, 4] of a box: a plate takes at most a third of a vehicle's side."""
    xs, ys = np.linspace(box[0], box[2], 4), np.linspace(box[1], box[3], 4)
    return np.float32([[xs[i], ys[j], xs[i + 1], ys[j + 1]] for j in range(3) for i in range(3)])


def _add_plates(sample: Sample, photo: Photo, findings: dict[str, Any]) -> None:
    """A plate found on no vehicle is only ignored: the teacher fires on signs and text.

    A vehicle without a plate may have one that nobody saw, so it is no place for negatives of a
    plate's size; that the whole of it is no plate is known.
    """
    if "license_plates" in photo.complete_for:
        return
    rows = _table(findings.get("plates", []))
    rows = rows[novel(rows[:, :4], sample.boxes[sample.labels == INDEX["license_plates"]])]
    vehicles = _vehicles(findings)
    sure = _on_any(rows[:, :4], vehicles, 0.9) & (rows[:, 4] > PLATE_SURE)
    sample.add_boxes(rows[:, :4], np.full(len(rows), INDEX["license_plates"]), ~sure)
    known = sample.boxes[(sample.labels == INDEX["license_plates"]) & ~sample.ignored]
    bare = np.concatenate([np.zeros((0, 4), np.float32), *map(_thirds, vehicles[~_holds(vehicles, known)])])
    sample.add_boxes(bare, np.full(len(bare), INDEX["license_plates"]), np.ones(len(bare), bool))


def _holds(grounds: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Mask [n] of the grounds that touch any of `boxes`."""
    if not len(grounds) or not len(boxes):
        return np.zeros(len(grounds), bool)
    return intersections(grounds, boxes).max(1) > 0


def _person_tops(findings: dict[str, Any], share: float) -> np.ndarray:
    tops = _table(findings.get("objects", {}).get("person", []))[:, :4].copy()
    tops[:, 3] = tops[:, 1] + (tops[:, 3] - tops[:, 1]) * share
    return tops


def _add_own(sample: Sample, photo: Photo, findings: dict[str, Any], own: dict[str, list[list[float]]]) -> None:
    """What an earlier network of ours saw: learnt where a second witness agrees, ignored elsewhere.

    Witnesses: for heads the upper part of a person, for plates a vehicle, for all the knowledge that
    the photo holds one whose place is unknown. Once one is found there, silence counts again.
    """
    expected = {label.category for label in photo.labels if label.box is None}
    for category in SILENCE_COUNTS:
        if category not in expected:
            weight = sample.negative_weight[INDEX[category]]
            sample.negative_weight[INDEX[category]] = max(weight, SILENT_WEIGHT)
    seen = {
        "heads": head_of_face(_table(findings.get("faces", []))[:, :4]),
        "license_plates": _table(findings.get("plates", []))[:, :4],
    }
    for category, listed in own.items():
        if category not in INDEX or category in photo.complete_for:
            continue
        if category in OWN_MISTAKEN and category not in expected:
            continue
        rows = _table(listed)
        rows = rows[rows[:, 4] >= OWN_FAINT.get(category, 0)]
        rows = rows[novel(rows[:, :4], _denied(photo, category), DENIED_IOU)]
        rows = rows[suppress(rows[:, :4], rows[:, 4], 0.4, 0.7)]
        rows = rows[novel(rows[:, :4], sample.boxes[(sample.labels == INDEX[category]) & ~sample.ignored])]
        if category == "heads":
            witnessed = _on_any(rows[:, :4], grow_boxes(_person_tops(findings, 0.45), 0.2), 0.8)
        elif category == "license_plates":
            witnessed = _on_any(rows[:, :4], _vehicles(findings), 0.9)
        else:
            witnessed = np.zeros(len(rows), bool)
        witnessed |= category in expected
        sure = (witnessed & (rows[:, 4] > OWN_SURE)) | (rows[:, 4] > OWN_SURE_ALONE.get(category, 1.0))
        if category in seen:
            sure |= ~novel(rows[:, :4], seen[category], 0.35) & (rows[:, 4] > OWN_SURE_SEEN)
        if category in expected and sure.any():
            sample.negative_weight[INDEX[category]] = UNKNOWN_WEIGHT
        sample.add_boxes(rows[:, :4], np.full(len(rows), INDEX[category]), ~sure)


def _add_codes(sample: Sample, findings: dict[str, Any]) -> None:
    """Matrix codes come with their outline; of linear ones the decoder reports a strip, so they are ignored."""
    for symbology, corners in findings.get("codes", []):
        box = box_of_quad(np.float32(corners).reshape(4, 2))[None]
        category = "qr_codes" if "QR" in symbology else "barcodes"
        if not novel(box, sample.boxes[sample.labels == INDEX[category]], 0.1).all():
            continue
        size = box[0, 2:] - box[0, :2]
        strip = min(size) < 0.3 * max(size)
        if strip:
            reach = max(size) * 0.5
            box = box + np.float32([-reach, -reach, reach, reach])
        sample.add_boxes(box, np.array([INDEX[category]]), np.array([strip]))


def _add_lines(sample: Sample, photo: Photo, findings: dict[str, Any]) -> None:
    if WRITING in photo.complete_for:
        return
    rows = np.float32(findings.get("lines", [])).reshape(-1, 9)
    if not len(rows):
        return
    quads = rows[:, :8].reshape(-1, 4, 2)
    if len(sample.lines):
        known = np.stack([box_of_quad(q) for q in sample.lines])
        boxes = np.stack([box_of_quad(q) for q in quads])
        fresh = pairwise_iou(boxes, known).max(1) < 0.2
        rows, quads = rows[fresh], quads[fresh]
    sample.add_lines(quads, rows[:, 8] < LINE_SURE)


def labelled(
    photo: Photo, image: np.ndarray, findings: dict[str, Any], own: dict[str, list[list[float]]] | None = None
) -> Sample:
    """The whole photo as a sample: hand labels first, then what an earlier network and the teachers saw."""
    sample = Sample.empty(image)
    sample.negative_weight = negative_weights(photo)
    for label in photo.labels:
        if label.box is None and label.quad is None:
            continue
        if label.category == WRITING:
            sample.add_lines(quad_of(label)[None], np.array([label.ignored]))
        elif label.category in INDEX:
            box = np.float32(label.box)[None] if label.box else box_of_quad(quad_of(label))[None]
            if photo.faces_only and label.category == "heads":
                box = head_of_face(box)
            sample.add_boxes(box, np.array([INDEX[label.category]]), np.array([label.ignored]))
    if own:
        _add_own(sample, photo, findings, own)
    if "heads" not in photo.complete_for:
        _add_heads(sample, findings)
        _ignore_labelled_tops(sample, photo)
    _add_objects(sample, photo, findings)
    _add_plates(sample, photo, findings)
    _add_codes(sample, findings)
    _add_lines(sample, photo, findings)
    return sample

from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from veil_training.categories import DETECTED, INDEX
from veil_training.decode import session
from veil_training.manifest import Label, Photo
from veil_training.second_look.answers import absent_from, answers_for
from veil_training.second_look.choose import FIXED, NEVER, Curve, confidences, curve_of, weights_for
from veil_training.second_look.crops import CONTEXT, INPUT_PX, PADDING_LEVEL, cut, relative, windows
from veil_training.second_look.export import ANSWERS, export_second_look
from veil_training.second_look.features import Features, SideFeatures, features_for, side_features
from veil_training.second_look.head import groups_of, logits_of, teaching_of, train_head, train_heads
from veil_training.second_look.network import (
    FEATURES,
    MIDDLE_CELLS,
    MIDDLE_CHANNELS,
    TOP_CHANNELS,
    QuarterHead,
    SecondLook,
    Tail,
    features_of,
)
from veil_training.second_look.proposals import Proposals
from veil_training.second_look.quantise import quantise_second_look
from veil_training.second_look.quarters import train_quarter_head, turned_features
from veil_training.second_look.scene_head import SceneHead
from veil_training.second_look.side_head import BINS, FINE_CELLS, FINE_CHANNELS, QUANTILES, boxes_within, mask_of
from veil_training.second_look.sides import (
    SideViews,
    side_table,
    stored_side_head,
    taught_sides,
    train_side_head,
    wanted_bins,
)
from veil_training.second_look.tail import TunedTail, stored_tail, tune_tail, tuned_logits

HEAD, PLATE, DOCUMENT = (INDEX[n] for n in ("heads", "license_plates", "documents"))


def photo_of(labels: tuple[Label, ...], complete: set[str] = frozenset(), **more: object) -> Photo:
    return Photo("a.webp", "everyday", "train", labels, frozenset(complete), **more)


def test_a_proposal_on_a_label_is_right():
    answers = answers_for(photo_of((Label("heads", (12, 10, 52, 50)),)), np.float32([[10, 10, 50, 50]]))
    assert answers.known[0, HEAD] == 1
    assert np.isnan(answers.known[0, PLATE])
    assert answers.places[0, HEAD].tolist() == [12, 10, 52, 50]


def test_a_loose_proposal_that_holds_a_label_is_right_up_to_a_size():
    photo = photo_of((Label("heads", (40, 40, 60, 60)),), {"heads"})
    answers = answers_for(photo, np.float32([[35, 35, 70, 70], [0, 0, 100, 100], [200, 200, 240, 240]]))
    assert answers.known[:, HEAD].tolist() == [1, 0, 0]


def test_a_proposal_that_touches_an_ignored_label_teaches_nothing():
    photo = photo_of((Label("screens", (0, 0, 40, 40), None, True),), {"screens"})
    assert np.isnan(answers_for(photo, np.float32([[30, 30, 90, 90]])).known[0, INDEX["screens"]])


def test_silence_counts_where_a_photo_is_complete():
    photo = photo_of((Label("heads", (0, 0, 9, 9)),), {"tattoos", "payment_cards"})
    known = answers_for(photo, np.float32([[50, 50, 90, 90]])).known[0]
    assert known[INDEX["tattoos"]] == 0
    assert known[INDEX["credit_cards"]] == 0
    assert np.isnan(known[HEAD])
    assert absent_from(photo) == {"tattoos", "credit_cards"}


def test_a_person_without_a_labeled_head_has_one_somewhere():
    photo = photo_of((Label("person", (0, 0, 50, 90)),), {"heads"})
    known = answers_for(photo, np.float32([[10, 10, 30, 30], [80, 10, 99, 30]])).known[:, HEAD]
    assert np.isnan(known[0])
    assert known[1] == 0
    assert "heads" not in absent_from(photo)


def test_a_denied_box_is_known_to_be_none_of_its_kind_alone():
    photo = photo_of((), denied=(("heads", (10.0, 10.0, 50.0, 50.0)),))
    known = answers_for(photo, np.float32([[12, 10, 50, 50], [100, 100, 150, 150]])).known
    assert known[0, HEAD] == 0
    assert np.isnan(known[1, HEAD])
    assert np.isnan(known[0, PLATE])


def test_a_code_at_an_unknown_place_denies_nothing():
    photo = photo_of((Label("qr_codes", None),), {"qr_codes"})
    assert np.isnan(answers_for(photo, np.float32([[0, 0, 9, 9]])).known[0, INDEX["qr_codes"]])


def test_a_window_outside_the_picture_is_grey():
    image = np.full((20, 20, 3), 200, np.uint8)
    crop = cut(image, np.float32([-40, 0, 40]), 8)
    assert (crop[:, :6] == PADDING_LEVEL).all()


@pytest.mark.parametrize("side", [6.0, 16.0, 64.0, 150.0])
def test_a_crop_shows_what_its_window_holds(side: float):
    image = np.zeros((200, 200, 3), np.uint8)
    image[:, 100:] = 240
    crop = cut(image, np.float32([100 - side / 2, 100 - side / 2, side]), 16)
    assert crop[8, :6].max() < 60
    assert crop[8, 10:].min() > 180


def test_boxes_are_shares_of_their_windows():
    boxes = np.float32([[10, 20, 30, 60]])
    frames = windows(boxes, 1.5)
    assert frames.tolist() == [[-10, 10, 60]]
    assert np.allclose(relative(boxes, frames), [[20 / 60, 10 / 60, 40 / 60, 50 / 60]])


def test_the_mask_is_the_box():
    mask = mask_of(torch.tensor([[0.25, 0.5, 0.75, 1.0]]), 8)[0, 0]
    assert mask.sum() == 4 * 4
    assert mask[4:, 2:6].min() == 1


def proposals(files: list[str], count: int = 60) -> Proposals:
    """Every other one is a head."""
    rng = np.random.default_rng(0)
    corners = rng.uniform(0, 60, (count, 2))
    boxes = np.concatenate([corners, corners + rng.uniform(12, 30, (count, 2))], 1).astype(np.float32)
    known = np.full((count, len(DETECTED)), np.nan, np.float32)
    known[:, HEAD] = np.arange(count) % 2
    scores = np.clip(0.3 + 0.2 * known[:, HEAD] + rng.normal(0, 0.15, count), 0.05, 0.95).astype(np.float32)
    photos = np.arange(count) * len(files) // count
    return Proposals(np.array(files), photos, boxes, np.full(count, HEAD), scores, known, boxes)


def test_proposals_are_kept(tmp_path: Path):
    kept = proposals(["a.png", "b.png"])
    kept.save(tmp_path / "kept.npz")
    read = Proposals.load(tmp_path / "kept.npz")
    assert read.files.tolist() == ["a.png", "b.png"]
    assert np.array_equal(read.own, kept.own)


def test_features_are_of_the_photo_and_a_view_differs(tmp_path: Path):
    cv2.imwrite(str(tmp_path / "a.png"), np.random.default_rng(0).integers(0, 256, (96, 128, 3), dtype=np.uint8))
    few = proposals(["a.png"], 6)
    plain, moved = features_for(few, tmp_path), features_for(few, tmp_path, seed=1)
    assert side_features(few, tmp_path).fine.shape == (6, FINE_CHANNELS, FINE_CELLS, FINE_CELLS)
    assert plain.pooled.shape == (6, FEATURES)
    assert plain.middle.shape == (6, MIDDLE_CHANNELS, MIDDLE_CELLS, MIDDLE_CELLS)
    assert np.allclose(plain.boxes, plain.places)
    assert np.array_equal(plain.pooled, features_for(few, tmp_path).pooled)
    assert not np.allclose(plain.pooled, moved.pooled, atol=0.1)
    plain.save(tmp_path / "kept.npz")
    joined = Features.joined([Features.load(tmp_path / "kept.npz"), moved])
    assert np.array_equal(joined.pooled, np.concatenate([plain.pooled, moved.pooled]))


def test_a_head_learns_what_features_tell(tmp_path: Path):
    taught = proposals(["one/a.png", "two/b.png"])
    features = np.random.default_rng(1).normal(0, 1, (60, FEATURES)).astype(np.float16)
    features[:, 0] = 3 * taught.own
    teaching = teaching_of(taught, features)
    logits = logits_of([train_head(teaching, np.ones(60), 0, steps=80)], teaching, features)[:, HEAD]
    assert logits[taught.own == 1].min() > logits[taught.own == 0].max()


def test_near_kin_are_left_out_together():
    one, other = groups_of(np.array(["hardhat_a/1.png", "zxing_x/1.png"]), np.array(["hardhat_b/2.png"]))
    assert one[0] == other[0]


def test_few_proposals_are_weighed_by_fixed_weights_and_many_by_their_own():
    many = proposals(["a.png", "b.png"])
    logits = np.zeros((60, len(DETECTED)), np.float32)
    logits[:, HEAD] = 4 * many.own - 2
    first, second, _ = weights_for(HEAD, many, logits)
    assert second > first > 0
    assert weights_for(PLATE, many, logits) == FIXED


def test_none_is_judged_by_weights_that_it_helped_to_fit():
    many = proposals(["a.png", "b.png"])
    logits = np.zeros((60, len(DETECTED)), np.float32)
    before = confidences(HEAD, many, logits)
    first = many.photos == many.photos[0]
    many.known[first, HEAD] = 1 - many.known[first, HEAD]
    assert np.allclose(confidences(HEAD, many, logits)[first], before[first])


def test_a_curve_tells_coverage_and_presence():
    kept = proposals(["a.png", "b.png"], 4)
    label = Label("heads", tuple(float(v) for v in kept.boxes[0]))
    photos = [photo_of((label,), {"heads"}), photo_of((), {"heads"})]
    curve = curve_of(HEAD, photos, kept, np.array([0.9, 0.1, 0.4, 0.2]))
    assert curve.at(0.5) == (1.0, 0.0)
    assert curve.at(0.3) == (1.0, 1.0)
    assert curve.threshold_for_presence(0.0) == pytest.approx(0.4)
    assert Curve(np.array([NEVER]), np.array([0.1])).at(-10)[0] == 0.0


def test_parts_are_joined_as_one_list():
    joined = Proposals.joined([proposals(["a.png", "b.png"], 4), proposals(["c.png"], 2)])
    assert joined.files[joined.photos].tolist() == ["a.png", "a.png", "b.png", "b.png", "c.png", "c.png"]


def test_quantiles_lean_outward_as_far_as_a_side_is_in_doubt():
    places = torch.tensor([[0.2, 0.3, 0.7, 0.9]])
    sure = boxes_within((wanted_bins(places) + 1e-9).log(), (0.5, 0.9))
    assert torch.allclose(sure[:, 0], places, atol=1 / BINS)
    in_doubt = boxes_within((wanted_bins(places) + 0.01).log(), (0.5, 0.9))
    assert (in_doubt[0, 1] - in_doubt[0, 0]).sign().tolist() == [-1, -1, 1, 1]
    assert (in_doubt[0, 1] - in_doubt[0, 0]).abs().min() > (sure[0, 1] - sure[0, 0]).abs().max()


def test_wanted_bins_are_distributions_around_a_side():
    wanted = wanted_bins(torch.tensor([[0.0, 0.26, 0.5, 1.0]]))
    assert torch.allclose(wanted.sum(2), torch.ones(1, 4))
    centers = (wanted * (torch.arange(BINS) + 0.5) / BINS).sum(2)
    assert torch.allclose(centers[0, 1:3], torch.tensor([0.26, 0.5]), atol=1e-5)


def test_heads_guessed_from_faces_teach_no_side():
    both = proposals(["a.png", "b.png"], 20)
    photos = [photo_of(()), photo_of((), faces_only=True)]
    assert set(taught_sides(both, photos).photos.tolist()) == {0}
    assert set(taught_sides(both, photos).own.tolist()) == {1}


def drawn_features(count: int) -> Features:
    """Of boxes whose labels are a tenth of their width wider on the left where the first feature is high."""
    rng = np.random.default_rng(1)
    pooled = rng.normal(0, 1, (count, FEATURES)).astype(np.float16)
    middle = rng.normal(0, 1, (count, MIDDLE_CHANNELS, MIDDLE_CELLS, MIDDLE_CELLS)).astype(np.float16)
    boxes = np.tile(np.float32([0.2, 0.2, 0.8, 0.8]), (count, 1))
    places = boxes.copy()
    pooled[:, 0] = np.arange(count) % 4 - 1.5
    places[:, 0] -= 0.06 * (pooled[:, 0] > 0)
    return Features(pooled, middle, boxes, places)


def side_views_of(count: int) -> SideViews:
    """Labels extend further left if the first columns of the fine map are bright."""
    features = drawn_features(count)
    fine = np.zeros((count, FINE_CHANNELS, FINE_CELLS, FINE_CELLS), np.float16)
    fine[features.places[:, 0] < 0.19, :4, :, :3] = 2
    view = SideFeatures(features.pooled, features.middle, features.boxes, features.places, fine)
    return SideViews([view], np.full(count, 1 / count))


def test_the_side_head_learns_where_sides_are():
    taught = side_views_of(60)
    net, view = train_side_head(taught, steps=250), taught.views[0]
    columns = (view.pooled, view.middle, view.fine, view.boxes)
    with torch.no_grad():
        boxes = boxes_within(net(*(torch.from_numpy(one.astype(np.float32)) for one in columns)), (0.5,))[:, 0].numpy()
    wide = view.places[:, 0] < 0.19
    assert boxes[wide, 0].mean() < boxes[~wide, 0].mean() - 0.03
    kept = proposals(["a.png"])
    assert side_table(net, kept, view).count("| heads |") == len(QUANTILES)


def test_the_quarter_head_learns_which_side_is_up(tmp_path: Path):
    rng, photos = np.random.default_rng(0), []
    for index in range(8):
        image = rng.integers(0, 40, (120, 120, 3), dtype=np.uint8)
        image[:60] += 200
        cv2.imwrite(str(tmp_path / f"{index}.png"), image)
        photos.append(Photo(f"{index}.png", "", "train", ()))
    features, quarters = turned_features(photos, tmp_path)
    assert features.shape == (24, 5 * TOP_CHANNELS)
    assert (quarters == 0).sum() == 8
    stored = train_quarter_head(features, quarters, steps=60)
    net = QuarterHead().eval()
    net.load_state_dict(stored["quarter_head"])
    standardized = (torch.from_numpy(features).float() - stored["side_mean"]) / stored["side_deviation"]
    assert (net(standardized).argmax(1).numpy() == quarters).mean() > 0.9


def test_the_tail_learns_and_keeps_its_statistics():
    taught, features = proposals(["a.png"]), drawn_features(60)
    features.middle[taught.own == 1, :20] += 3
    middle, untuned = torch.from_numpy(features.middle).float(), Tail().eval()
    with torch.no_grad():
        pooled = features_of(middle, untuned(middle), torch.from_numpy(features.boxes)).numpy()
    teaching, before = teaching_of(taught, pooled), untuned.state_dict()
    tuned = tune_tail(teaching, features, np.ones(60), 0, minutes=0.1)
    after = tuned.tail.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before if "running" in name)
    assert not torch.equal(before["last.weight"], after["last.weight"])
    logits, chosen = tuned_logits(tuned, teaching, features), np.array([3, 40])
    own = logits[np.arange(60), taught.categories]
    some = tuned_logits(tuned, teaching, features, chosen)
    assert np.allclose(some[chosen], logits[chosen], atol=1e-4)
    assert np.count_nonzero(some.any(axis=1)) == len(chosen)
    assert own[taught.own == 1].mean() > own[taught.own == 0].mean()


def exported(tmp_path: Path) -> tuple[Path, float]:
    teaching = teaching_of(proposals(["a.png"]), drawn_features(60).pooled)
    tuned = TunedTail(Tail().eval(), train_head(teaching, np.ones(60), 0, steps=2))
    quarters = {
        **stored_tail(tuned, teaching),
        **stored_side_head(train_side_head(side_views_of(8), steps=2)),
        "side_mean": torch.zeros(5 * TOP_CHANNELS),
        "side_deviation": torch.ones(5 * TOP_CHANNELS),
        "quarter_head": QuarterHead().state_dict(),
        "scene": SceneHead().state_dict(),
    }
    path = tmp_path / "look.onnx"
    _, stored = train_heads(teaching)
    _, difference = export_second_look(SecondLook(stored | quarters).eval(), path)
    return path, difference


def test_in_integers_it_answers_nearly_the_same(tmp_path: Path):
    rng = np.random.default_rng(0)
    photos = []
    for name in ("a.png", "b.png"):
        cv2.imwrite(str(tmp_path / name), rng.integers(0, 256, (96, 128, 3), dtype=np.uint8))
        photos.append(Photo(name, "", "train", (Label("heads", (20, 20, 60, 70)),)))
    floats, difference = exported(tmp_path)
    assert difference < 1e-4
    integers = tmp_path / "look.int8.onnx"
    quantise_second_look(floats, integers, tmp_path, photos, side=INPUT_PX, context=CONTEXT)
    crops = rng.integers(0, 256, (8, INPUT_PX, INPUT_PX, 3), dtype=np.uint8)
    asked = {"crops": crops, "boxes": np.float32([[0.2, 0.2, 0.8, 0.8]] * 8)}
    wanted, got = (session(path, 1).run(ANSWERS, asked) for path in (floats, integers))
    assert np.abs(wanted[0] - got[0]).mean() < 0.1
    assert np.abs(wanted[1] - got[1]).mean() < 0.1 * np.abs(wanted[1]).mean()
    assert np.allclose(got[2].sum(1), 1, atol=1e-4)
    assert integers.stat().st_size < 0.6 * floats.stat().st_size

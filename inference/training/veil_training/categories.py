"""The thirteen categories and the grid of the detector."""

DETECTED: tuple[str, ...] = (
    "heads",
    "license_plates",
    "screens",
    "street_signs",
    "id_cards",
    "passports",
    "credit_cards",
    "name_badges",
    "qr_codes",
    "barcodes",
    "documents",
    "tattoos",
)
"""Categories found as boxes, in the channel order of the `scores` output."""

WRITING = "writing"
"""The category found as a dense map of text-line cores."""

CATEGORIES: tuple[str, ...] = (*DETECTED, WRITING)

CARD_LIKE: tuple[str, ...] = ("id_cards", "passports", "credit_cards", "name_badges", "documents")
"""Categories that share one "card or paper" logit; the kind among them is a softmax."""

STRIDES: tuple[int, ...] = (4, 8, 16, 32, 64)
"""Pixel distance of neighbouring grid points, one entry a level."""

TEXT_STRIDE = 4

INDEX: dict[str, int] = {name: i for i, name in enumerate(DETECTED)}
CARD_LIKE_INDEX: tuple[int, ...] = tuple(INDEX[name] for name in CARD_LIKE)

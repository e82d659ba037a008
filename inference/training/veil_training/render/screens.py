"""Phones, tablets, laptops, monitors and televisions with something on them."""

import cv2
import numpy as np

from .canvas import Patch, any_colour, grey, vivid
from .studio import Studio, template
from .words import date, digits, phrase, price, word


def _theme(studio: Studio) -> tuple[np.ndarray, np.ndarray]:
    """Background and text colour."""
    rng = studio.rng
    if rng.random() < 0.4:
        return grey(rng, 8, 45), grey(rng, 190, 240)
    return grey(rng, 222, 252), grey(rng, 15, 60)


def _off(studio: Studio, panel: Patch) -> None:
    rng = studio.rng
    panel.gradient(grey(rng, 3, 40), grey(rng, 15, 80), rng.uniform(0, 6.28))
    if rng.random() < 0.5:
        mirror = cv2.GaussianBlur(studio.photo(panel.width, panel.height), (0, 0), rng.uniform(1, 6))
        panel.image += mirror * rng.uniform(0.05, 0.25)


def _picture(studio: Studio, panel: Patch) -> None:
    rng = studio.rng
    panel.image[:] = studio.photo(panel.width, panel.height)
    if rng.random() < 0.4:
        caption = phrase(rng, 5)
        panel.text(
            panel.width / 2,
            panel.height * 0.85,
            caption,
            panel.height * 0.06,
            (250, 250, 250),
            studio.bold(),
            max_width=panel.width * 0.9,
            anchor="centre",
        )


def _wide_page(studio: Studio, panel: Patch) -> None:
    """Web page, editor or mail program."""
    rng = studio.rng
    ground, ink = _theme(studio)
    panel.image[:] = ground
    w, h, font, accent = panel.width, panel.height, studio.latin(), vivid(rng)
    panel.rectangle(0, 0, w, h * 0.06, np.clip(ground * 0.85 + 10, 0, 255))
    left = 10.0
    if rng.random() < 0.6:
        panel.rectangle(0, h * 0.06, w * 0.2, h, ground * 0.9)
        for i in range(rng.randint(3, 9)):
            panel.text(6, h * 0.1 + i * 16, word(rng), 9, ink, font, max_width=w * 0.17)
        left = w * 0.23
    y = h * 0.1
    panel.text(left, y, phrase(rng, 3), 14, ink, studio.bold(), max_width=w - left - 8)
    y += 22
    while y < h - 14:
        kind = rng.random()
        if kind < 0.14:
            photo = studio.photo(rng.randint(40, 110), rng.randint(30, 60))
            panel.paste(photo, left, y)
            y += photo.shape[0] + 4
        elif kind < 0.22:
            panel.rectangle(left, y, left + 60, y + 14, accent)
            panel.text(left + 8, y + 3, word(rng), 9, (250, 250, 250), font, max_width=46)
            y += 20
        else:
            colour = ink if rng.random() < 0.8 else accent
            panel.text(
                left, y, phrase(rng, rng.randint(3, 9)), rng.randint(7, 11), colour, font, max_width=w - left - 8
            )
            y += rng.randint(11, 16)


def _tall_page(studio: Studio, panel: Patch) -> None:
    """Chat, list or home screen of a phone."""
    rng = studio.rng
    ground, ink = _theme(studio)
    panel.image[:] = ground
    w, h, font, accent = panel.width, panel.height, studio.latin(), vivid(rng)
    if rng.random() < 0.2:
        if rng.random() < 0.6:
            panel.image[:] = studio.photo(w, h) * 0.8
        for i in range(6):
            for j in range(4):
                x, y = w * (j + 0.5) / 4, h * 0.18 + i * h * 0.12
                panel.rectangle(x - 12, y - 12, x + 12, y + 12, vivid(rng))
        return
    panel.rectangle(0, 0, w, h * 0.1, accent if rng.random() < 0.6 else ground * 0.9)
    panel.text(10, h * 0.04, phrase(rng, 2), 13, ink, studio.bold(), max_width=w * 0.8)
    y = h * 0.13
    while y < h - 22:
        kind = rng.random()
        if kind < 0.35:
            mine, bubble = rng.random() < 0.5, rng.randint(w // 3, int(w * 0.75))
            x = w - bubble - 6 if mine else 6
            panel.rectangle(x, y, x + bubble, y + 20, accent if mine else np.clip(ground * 0.85 + 12, 0, 255))
            panel.text(x + 6, y + 5, phrase(rng, 3), 9, (250, 250, 250) if mine else ink, font, max_width=bubble - 12)
            y += 26
        elif kind < 0.5:
            height = rng.randint(40, 90)
            panel.paste(studio.photo(w - 16, height), 8, y)
            y += height + 6
        else:
            panel.text(8, y, phrase(rng, rng.randint(2, 5)), rng.randint(8, 13), ink, font, max_width=w - 16)
            y += rng.randint(13, 20)


def content(studio: Studio, width: float, height: float) -> Patch:
    """What a screen shows: off, a picture or video, or an interface."""
    panel = Patch(width, height)
    kind = studio.rng.random()
    if kind < 0.2:
        _off(studio, panel)
    elif kind < 0.45:
        _picture(studio, panel)
    elif panel.width > panel.height:
        _wide_page(studio, panel)
    else:
        _tall_page(studio, panel)
    return panel


def _framed(studio: Studio, panel: Patch, border: float, radius: float) -> Patch:
    """Bezel around a panel, with a reflection now and then."""
    rng = studio.rng
    tone = np.float32([1, 1, 1]) * rng.choice([12, 15, 20, 30, 40, 190, 230])
    device = Patch(panel.width + 2 * border, panel.height + 2 * border, tone, radius)
    device.embed(panel, border, border, panel.width, panel.height)
    if rng.random() < 0.4:
        glare = np.zeros((device.height, device.width), np.float32)
        x, w = rng.uniform(0, device.width), device.width
        shape = np.int32([[x, 0], [x + w * 0.4, 0], [x + w * 0.1, device.height], [x - w * 0.3, device.height]])
        cv2.fillPoly(glare, [shape], rng.uniform(0.05, 0.35))
        glare = cv2.GaussianBlur(glare, (0, 0), rng.uniform(0.5, 12))[..., None]
        device.image = device.image * (1 - glare) + 255 * glare
    device.mark("screens")
    return device


@template("screens", weight=2.5)
def phone(studio: Studio) -> Patch:
    """Phone, upright or lying, sometimes with fingers over its edge."""
    rng = studio.rng
    w, h = 150, rng.randint(270, 330)
    if rng.random() < 0.2:
        w, h = h, w
    device = _framed(studio, content(studio, w, h), rng.randint(4, 12), 18)
    return _held(studio, device) if rng.random() < 0.4 else device


def _held(studio: Studio, device: Patch) -> Patch:
    """Fingers from the side or below; the screen's label stays whole, since the hand is blurred with it."""
    rng = studio.rng
    scene = device.framed(50, 10, 50, 70)
    skin = np.float32([rng.randint(140, 235), rng.randint(95, 180), rng.randint(70, 150)])
    shade = skin * 0.75
    mask = np.zeros((scene.height, scene.width), np.uint8)
    right = 50 + device.width
    for side in rng.sample([0, 1], rng.randint(1, 2)):
        for i in range(rng.randint(1, 4)):
            y = int(scene.height * rng.uniform(0.35, 0.9)) + i * 4
            outer, inner = (0, 50 + rng.randint(8, 30)) if side == 0 else (scene.width, right - rng.randint(8, 30))
            width = rng.randint(16, 26)
            cv2.line(scene.image, (outer, y + rng.randint(-15, 30)), (inner, y), shade.tolist(), width + 3, cv2.LINE_AA)
            cv2.line(scene.image, (outer, y + 4), (inner, y), skin.tolist(), width, cv2.LINE_AA)
            cv2.line(mask, (outer, y + 4), (inner, y), 255, width + 3, cv2.LINE_AA)
    scene.alpha = np.maximum(scene.alpha, mask.astype(np.float32) / 255)
    return scene


@template("screens", weight=1)
def tablet(studio: Studio) -> Patch:
    """Tablet with a wide bezel."""
    rng = studio.rng
    w, h = rng.choice([(220, 300), (300, 220)])
    return _framed(studio, content(studio, w, h), rng.randint(8, 18), 12)


@template("screens", weight=1.5)
def television(studio: Studio) -> Patch:
    """Flat television or wall display."""
    rng = studio.rng
    device = _framed(studio, content(studio, 320, rng.randint(175, 190)), rng.randint(3, 10), 2)
    if rng.random() < 0.4:
        stand = device.framed(0, 0, 0, 18)
        stand.rectangle(110, device.height, 220, device.height + 16, (25, 25, 28))
        stand.alpha[device.height : device.height + 16, 110:220] = 1
        return stand
    return device


@template("screens", weight=1.5)
def monitor(studio: Studio) -> Patch:
    """Desktop monitor on a foot, alone or in a pair."""
    rng = studio.rng
    device = _framed(studio, content(studio, 300, rng.randint(165, 230)), rng.randint(5, 14), 3)
    foot = device.framed(0, 0, 0, rng.randint(20, 45))
    x = device.width / 2
    tone = grey(rng, 15, 200)
    foot.rectangle(x - 20, device.height, x + 20, foot.height, tone)
    foot.alpha[device.height :, int(x - 20) : int(x + 20)] = 1
    if rng.random() < 0.25:
        pair = Patch(foot.width * 2 + 8, foot.height)
        pair.alpha[:] = 0
        for part, left in ((foot, 0), (foot, foot.width + 8)):
            pair.image[:, left : left + foot.width] = part.image
            pair.alpha[:, left : left + foot.width] = part.alpha
            offset = np.float32([left, 0])
            pair.objects += [(c, q + offset) for c, q in part.objects]
            pair.lines += [q + offset for q in part.lines]
            pair.faint_lines += [q + offset for q in part.faint_lines]
        return pair
    return foot


@template("screens", weight=2)
def laptop(studio: Studio) -> Patch:
    """Opened laptop; the label is the whole device, as detectors of household objects label it."""
    rng = studio.rng
    device = _framed(studio, content(studio, 300, rng.randint(185, 205)), rng.randint(6, 14), 6)
    device.objects = [o for o in device.objects if o[0] != "screens"]
    depth = rng.randint(60, 120)
    scene = device.framed(20, 0, 20, depth)
    tone = np.float32([1, 1, 1]) * rng.choice([30, 60, 180, 200, 215])
    top = device.height
    base = np.int32([[20, top], [20 + device.width, top], [scene.width, scene.height], [0, scene.height]])
    mask = np.zeros((scene.height, scene.width), np.uint8)
    cv2.fillPoly(mask, [base], 255)
    scene.image[mask > 0] = tone
    scene.alpha[mask > 0] = 1
    key_w = (device.width - 50) / 12
    for i in range(4):
        for j in range(12):
            x, y = 45 + j * key_w, top + 8 + i * 10
            scene.rectangle(x, y, x + key_w * 0.8, y + 7, tone * 0.35)
    scene.mark("screens")
    return scene


@template("screens", weight=0.6)
def instrument(studio: Studio) -> Patch:
    """Small display of a till, watch, navigator or machine."""
    rng = studio.rng
    panel = Patch(rng.randint(110, 200), rng.randint(80, 130))
    panel.image[:] = rng.choice([(20, 30, 25), (150, 170, 140), (10, 20, 50), (15, 15, 15)])
    ink = np.float32([230, 240, 230]) if panel.image.mean() < 90 else np.float32([20, 25, 20])
    reading = rng.choice([f"{rng.randint(0, 23)}:{rng.randint(10, 59)}", price(rng), digits(rng, 4), date(rng)])
    panel.text(
        panel.width / 2,
        panel.height * 0.25,
        reading,
        panel.height * 0.4,
        ink,
        studio.mono(),
        anchor="centre",
        max_width=panel.width * 0.9,
    )
    return _framed(studio, panel, rng.randint(8, 26), 10)


@template("screens", held_out=True)
def dashboard_screen(studio: Studio) -> Patch:
    """Screen with charts and tiles, a layout of its own."""
    rng = studio.rng
    panel = Patch(320, 196, grey(rng, 15, 40))
    for i in range(3):
        for j in range(2):
            x, y = 8 + i * 104, 26 + j * 84
            panel.rectangle(x, y, x + 96, y + 76, grey(rng, 45, 70))
            heights = [rng.randint(6, 44) for _ in range(8)]
            colour = vivid(rng)
            for k, height in enumerate(heights):
                panel.rectangle(x + 6 + k * 11, y + 70 - height, x + 13 + k * 11, y + 70, colour)
            panel.text(x + 5, y + 5, word(rng), 10, (220, 220, 220), studio.latin(), max_width=86)
    panel.text(8, 6, phrase(rng, 2), 14, (240, 240, 240), studio.bold())
    return _framed(studio, panel, rng.randint(5, 14), 4)


@template("screens", held_out=True)
def phone_dialler(studio: Studio) -> Patch:
    """Phone with a dial pad."""
    rng = studio.rng
    panel = Patch(150, 310, rng.choice([(248, 248, 248), (12, 12, 14)]))
    ink = any_colour(rng, 0, 60) if panel.image.mean() > 128 else np.float32([235, 235, 235])
    panel.text(75, 40, digits(rng, 9), 22, ink, studio.latin(), anchor="centre", max_width=140)
    for i, key in enumerate("123456789*0#"):
        x, y = 30 + (i % 3) * 45, 110 + (i // 3) * 44
        panel.circle(x, y + 8, 18, grey(rng, 120, 150), 1)
        panel.text(x, y, key, 18, ink, studio.latin(), anchor="centre", marked=False)
    return _framed(studio, panel, 7, 18)

"""Shared fixtures: fonts and a studio, or a skip where no font is installed."""

from random import Random

import pytest
import torch

from veil_training.render import scene  # noqa: F401  registers all templates
from veil_training.render.fonts import FontLibrary, discover
from veil_training.render.studio import Studio

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def fonts() -> FontLibrary:
    try:
        return discover()
    except FileNotFoundError as error:
        pytest.skip(str(error))


@pytest.fixture
def studio(fonts: FontLibrary) -> Studio:
    return Studio(Random(7), fonts)

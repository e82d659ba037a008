"""The few differences between the sync and the async client, under names that `scripts/generate.py` replaces."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread
from typing_extensions import ParamSpec

P = ParamSpec("P")
T = TypeVar("T")


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


async def async_sleep(seconds: float) -> None:
    """Waits without blocking other tasks."""
    await anyio.sleep(seconds)


def call_directly(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls a function that may block."""
    return function(*args, **kwargs)


async def async_in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls a function that may block in another thread, so that the event loop continues."""
    return await anyio.to_thread.run_sync(lambda: function(*args, **kwargs))

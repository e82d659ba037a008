"""Waiting for a media item to end."""

from __future__ import annotations

import time
from collections.abc import Callable

from veil_redact._async.transport import AsyncTransport, Call
from veil_redact._polling import FINAL_STATUSES, poll_pauses, wait_seconds_within
from veil_redact._settings import media_path_of
from veil_redact._waiting import async_sleep
from veil_redact.errors import RateLimitExceededError, TimedOutError, ValidationFailedError, VeilError
from veil_redact.models import Media


class AsyncWaiting:
    """Waits for a media item.

    Each request lets the service wait, unless the service cannot or such requests fail.
    """

    def __init__(
        self,
        transport: AsyncTransport,
        media_id: str,
        *,
        timeout: float | None,
        on_poll: Callable[[Media], object] | None,
    ) -> None:
        self._transport = transport
        self._media_id = media_id
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._on_poll = on_poll
        self._can_wait = True

    async def until_ended(self) -> Media:
        """The media item once it has ended. Raises TimedOutError after the timeout."""
        pauses = poll_pauses()
        while True:
            asked_at = time.monotonic()
            wait_seconds = self._wait_seconds(asked_at)
            media = await self._ask(wait_seconds)
            if self._on_poll is not None:
                self._on_poll(media)
            if media.status in FINAL_STATUSES:
                return media
            now = time.monotonic()
            if self._deadline is not None and now >= self._deadline:
                raise TimedOutError(f"Media {self._media_id} is still {media.status}; the time limit is over.")
            # A service that ignores `wait` answers at once.
            if wait_seconds > 0 and now - asked_at >= wait_seconds / 2:
                continue
            pause = next(pauses)
            await async_sleep(pause if self._deadline is None else min(pause, self._deadline - now))

    def _wait_seconds(self, now: float) -> int:
        if not self._can_wait or self._transport.refuses_wait:
            return 0
        return wait_seconds_within(
            left_seconds=None if self._deadline is None else self._deadline - now,
            timeout_seconds=self._transport.timeout,
            is_watched=self._on_poll is not None,
        )

    async def _ask(self, wait_seconds: int) -> Media:
        path = media_path_of(self._media_id)
        plain = Call(method="GET", path=path, deadline=self._deadline)
        if wait_seconds < 1:
            return await self._transport.fetch(Media, plain)
        # The deadline ends the wait. A timeout that ends with it would end the request before its answer.
        waiting = Call(method="GET", path=path, query={"wait": wait_seconds})
        try:
            return await self._transport.fetch_once(Media, waiting)
        except ValidationFailedError:
            self._transport.refuses_wait = True
        except VeilError as error:
            await self._transport.pause_before_retry(error, 0, self._deadline)
            # A proxy may end long requests. The rate limit is independent of the wait.
            self._can_wait = isinstance(error, RateLimitExceededError)
        return await self._transport.fetch(Media, plain)

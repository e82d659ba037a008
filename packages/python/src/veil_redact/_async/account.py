"""What an account has."""

from __future__ import annotations

from collections.abc import AsyncIterator

from veil_redact._async.connection import AsyncConnection
from veil_redact._async.transport import Call
from veil_redact._polling import MOST_PER_PAGE
from veil_redact._settings import media_path_of
from veil_redact.models import Media, MediaCollection, MediaStatus, MediaType, Usage


class AsyncAccount(AsyncConnection):
    """The account's media and what it has used."""

    async def list(
        self,
        *,
        status: MediaStatus | None = None,
        media_type: MediaType | None = None,
        page: int | None = None,
        per_page: int | None = None,
    ) -> MediaCollection:
        """A page of the account's media, newest first.

        Example:
            ```python
            page = await veil.list(status="failed", per_page=100)
            print(page.pagination.total, [media.filename for media in page.data])
            ```
        """
        asked = {"status": status, "media_type": media_type, "page": page, "per_page": per_page}
        query = {name: value for name, value in asked.items() if value is not None}
        return await self._transport.fetch(MediaCollection, Call(method="GET", path="/media", query=query))

    async def list_all(
        self, *, status: MediaStatus | None = None, media_type: MediaType | None = None
    ) -> AsyncIterator[Media]:
        """All media of a kind, newest first, page after page.

        Uploads that come in between move the pages; what they move onto the next one is not given twice.

        Example:
            ```python
            async for media in veil.list_all(status="completed"):
                print(media.id, media.filename)
            ```
        """
        before: set[str] = set()
        page = 1
        while True:
            found = await self.list(status=status, media_type=media_type, page=page, per_page=MOST_PER_PAGE)
            for media in found.data:
                if media.id not in before:
                    yield media
            if found.links.next is None:
                return
            before = {media.id for media in found.data}
            page += 1

    async def delete(self, media_id: str) -> None:
        """Deletes a media item and everything of it.

        Example:
            ```python
            await veil.delete(media.id)
            ```
        """
        await self._transport.send(Call(method="DELETE", path=media_path_of(media_id), gone_is_good=True))

    async def usage(self) -> Usage:
        """Usage and limits of the current billing period.

        Example:
            ```python
            usage = await veil.usage()
            print(usage.images.used, "of", usage.images.limit)
            ```
        """
        return await self._transport.fetch(Usage, Call(method="GET", path="/usage"))

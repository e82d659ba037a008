# Made from ../_async by scripts/generate.py; change nothing here.

"""The account's media and usage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veil_redact._options import Includable
from veil_redact._polling import MOST_PER_PAGE, cursor_in
from veil_redact._settings import comma_separated, media_path_of
from veil_redact._sync.connection import Connection
from veil_redact._sync.transport import Call
from veil_redact.models import Deletions, MediaCollection, MediaStatus, MediaType, MediaWithIncluded, Usage


class Account(Connection):
    """Lists and deletes the account's media, and reads its usage."""

    def list(
        self,
        *,
        status: MediaStatus | None = None,
        media_type: MediaType | None = None,
        external_id: str | None = None,
        folder: str | None = None,
        current: bool | None = None,
        include: Sequence[Includable] = (),
        cursor: str | None = None,
        page: int | None = None,
        per_page: int | None = None,
    ) -> MediaCollection:
        """A page of the account's media, newest first.

        Args:
            status: only media with this status
            media_type: only images, or only videos
            external_id: only media whose `metadata` has this `external_id`
            folder: only media from this folder
            current: only current versions, or only superseded ones
            include: fields to add to each media item
            cursor: stable pagination cursor, instead of `page`; empty for the first page
            page: the page
            per_page: media on a page

        Example:
            ```python
            page = veil.list(status="failed", per_page=100)
            print(page.pagination.total, [media.filename for media in page.data])
            ```
        """
        asked = {
            "status": status,
            "media_type": media_type,
            "external_id": external_id,
            "folder": folder,
            "current": None if current is None else str(current).lower(),
            "include": comma_separated("include", include),
            "cursor": cursor,
            "page": page,
            "per_page": per_page,
        }
        query = {name: value for name, value in asked.items() if value is not None}
        return self._transport.fetch(MediaCollection, Call(method="GET", path="/media", query=query))

    def list_all(
        self,
        *,
        status: MediaStatus | None = None,
        media_type: MediaType | None = None,
        external_id: str | None = None,
        folder: str | None = None,
        current: bool | None = None,
        include: Sequence[Includable] = (),
    ) -> Iterator[MediaWithIncluded]:
        """All matching media, newest first.

        Uploads and deletions in the meantime cause neither duplicates nor gaps.

        Example:
            ```python
            for media in veil.list_all(status="completed"):
                print(media.id, media.filename)
            ```
        """
        cursor: str | None = ""
        while cursor is not None:
            found = self.list(
                status=status,
                media_type=media_type,
                external_id=external_id,
                folder=folder,
                current=current,
                include=include,
                cursor=cursor,
                per_page=MOST_PER_PAGE,
            )
            for media in found.data:
                yield media
            cursor = cursor_in(found.links.next)

    def delete(self, media_id: str) -> None:
        """Deletes a media item and all its data.

        Example:
            ```python
            veil.delete(media.id)
            ```
        """
        self._transport.send(Call(method="DELETE", path=media_path_of(media_id), gone_is_good=True))

    def deletions(
        self,
        *,
        media_ids: Sequence[str] = (),
        file_name: str | None = None,
        request_id: str | None = None,
        cursor: str | None = None,
        per_page: int | None = None,
    ) -> Deletions:
        """What was deleted, when and by whom, latest first, and what remains of it. Records are kept for a year.

        Args:
            media_ids: only these media items, at most 100
            file_name: only files with this name, compared by digest
            request_id: only deletions by this request
            cursor: the cursor of the next page, from `links.next`
            per_page: deletions on a page

        Example:
            ```python
            proof = veil.deletions(media_ids=[media.id])
            print([(one.deleted_at, one.objects_left, one.rows_left) for one in proof.data])
            ```
        """
        asked = {
            "media_id": comma_separated("media_ids", media_ids),
            "file_name": file_name,
            "request_id": request_id,
            "cursor": cursor,
            "per_page": per_page,
        }
        query = {name: value for name, value in asked.items() if value is not None}
        return self._transport.fetch(Deletions, Call(method="GET", path="/deletions", query=query))

    def usage(self) -> Usage:
        """Usage and limits of the current billing period.

        Example:
            ```python
            usage = veil.usage()
            print(usage.images.used, "of", usage.images.limit)
            ```
        """
        return self._transport.fetch(Usage, Call(method="GET", path="/usage"))

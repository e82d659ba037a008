"""The commands for single media items and for the account."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from pathlib import Path

from veil_redact._async.client import AsyncClient
from veil_redact._cli.exit_codes import Exit, UsageError
from veil_redact._cli.printing import Printer, reason_of
from veil_redact._cli.service import client_of
from veil_redact._cli.upload import upload_path
from veil_redact._decode import answer_of
from veil_redact._polling import cursor_in
from veil_redact._settings import media_path_of
from veil_redact.errors import InvalidArgumentError, OutputExistsError, VeilError
from veil_redact.models import Deletion, Detection, IncludedRequest, Media, MediaWithIncluded


async def detect(order: argparse.Namespace) -> Exit:
    """Prints the detections in a file or a media item: one line per detection, or the service's answer as JSON."""
    is_file = Path(order.subject).is_file()
    if is_file and not order.categories:
        raise UsageError("--categories is missing; say what to look for.")
    if not is_file:
        _check_ids([order.subject])
        if order.sensitivity:
            raise UsageError("--sensitivity is for files; this media item has been analyzed already.")
    async with client_of(order) as client:
        printer = Printer(is_json=order.json)
        media_id = order.subject
        if is_file:
            media = await upload_path(
                client,
                Path(order.subject),
                categories=order.categories,
                sensitivity=order.sensitivity,
                detect_only=True,
            )
            media = await client.wait(media.id, timeout=order.timeout)
            if media.status != "completed":
                raise await client.media_error(media)
            media_id = media.id
        found = await client.detections(
            media_id,
            redacted=None if order.only is None else order.only == "redacted",
            categories=None if is_file else order.categories,
        )
        if order.json:
            printer.result("", answer_of(found))
            return Exit.ALL_DONE
        for detection in found.detections:
            printer.result(_cells_of(detection), None)
        more = " More was found than is listed." if found.truncated else ""
        printer.say(f"{len(found.detections)} detections in media {media_id}.{more}")
    return Exit.ALL_DONE


async def revise(order: argparse.Namespace) -> Exit:
    """Creates a revision of a media item, and writes its redacted file."""
    _check_ids([order.media_id])
    async with client_of(order) as client:
        # Checked before anything is sent; writing checks again.
        if not order.force and os.path.lexists(order.output):
            raise OutputExistsError(order.output)
        redact = order.redact[0] if order.redact in (["all"], ["none"]) else order.redact
        media = await client.revise(
            order.media_id,
            redact=redact,
            except_=order.except_,
            regions=order.region,
            redaction_method=order.method,
            audio=order.audio,
            mute_ranges=order.mute_range,
            burn_in_reasons=True if order.burn_in_reasons else None,
            from_current=order.from_current,
        )
        media = await client.wait(media.id, timeout=order.timeout)
        if media.status != "completed":
            raise await client.media_error(media)
        await client.download(media.id, order.output, overwrite=order.force)
        record = {"revision_of": order.media_id, "media_id": media.id, "output": order.output}
        Printer(is_json=order.json).result(f"{order.media_id} → {order.output}, as media {media.id}", record)
    return Exit.ALL_DONE


async def download(order: argparse.Namespace) -> Exit:
    """Waits for a media item to finish, and writes its redacted file."""
    _check_ids([order.media_id])
    async with client_of(order) as client:
        # Checked before waiting; writing checks again.
        if order.output is not None and not order.force and os.path.lexists(order.output):
            raise OutputExistsError(order.output)
        media = await client.wait(order.media_id, timeout=order.timeout)
        if media.status != "completed":
            raise await client.media_error(media)
        uploaded = Path(Path(media.filename).name)
        named = uploaded.with_name(f"{uploaded.stem}.redacted{uploaded.suffix}")
        path = await client.download(
            media.id,
            order.output or named,
            overwrite=order.force,
            keep_extension=order.output is not None,
        )
        record = {"media_id": media.id, "output": str(path)}
        Printer(is_json=order.json).result(f"{media.id} → {path}", record)
    return Exit.ALL_DONE


async def list_media(order: argparse.Namespace) -> Exit:
    """Prints one line per media item, newest first."""
    async with client_of(order) as client:
        printer = Printer(is_json=order.json)
        left: int = order.limit
        async for media in client.list_all(
            status=order.status,
            media_type=order.media_type,
            external_id=order.external_id,
            folder=order.folder,
            current=True if order.current else None,
            include=["metadata"] if order.json else [],
        ):
            if left == 0 or not printer.is_heard:
                break
            left -= 1
            printer.result(_cells_of_media(media), answer_of(media))
    return Exit.ALL_DONE


async def get_media(order: argparse.Namespace) -> Exit:
    """Prints one line per media item, with the reason if it failed and the options of its upload."""
    _check_ids(order.media_ids)
    async with client_of(order) as client:
        printer = Printer(is_json=order.json)
        for media_id in order.media_ids:
            media = await client.get_included(media_id, include=["versions", "failure", "metadata", "request"])
            reason = media.failure.message if media.failure else ""
            options = _sent_with(media)
            cells = [*_cells_of_media(media), *([reason, options] if options else [reason] if reason else [])]
            printer.result(cells, answer_of(media))
    return Exit.ALL_DONE


def _sent_with(media: MediaWithIncluded) -> str:
    """What was sent with an upload: its options, folder and metadata."""
    options = _options_of(media.request) if media.request else ""
    labels = {"folder": media.folder, "metadata": media.metadata}
    shown = [f"{name}={_json_of(label)}" for name, label in labels.items() if label]
    return " ".join([*([options] if options else []), *shown])


def _json_of(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _options_of(request: IncludedRequest) -> str:
    """What an upload asked for beyond categories and method."""
    options = {
        "sensitivity": None if request.sensitivity == "normal" else request.sensitivity,
        "min_confidence": None if request.min_confidence is None else _json_of(request.min_confidence),
        "regions": len(request.regions or []) or None,
        "ignore_regions": len(request.ignore_regions or []) or None,
        "detect_only": "true" if request.detect_only else None,
        "audio": None if request.audio == "keep" else request.audio,
        "mute_ranges": len(request.mute_ranges or []) or None,
    }
    return " ".join(f"{name}={value}" for name, value in options.items() if value is not None)


async def usage(order: argparse.Namespace) -> Exit:
    """Prints how much of the plan is used."""
    async with client_of(order) as client:
        found = await client.usage()
        images, minutes = found.images, found.video_minutes
        lines = [
            f"Plan {found.plan}, {found.period_start} to {found.period_end}",
            f"Images: {_share_of(images.used, images.limit)}",
            f"Video minutes: {_share_of(minutes.used, minutes.limit)}",
        ]
        printer = Printer(is_json=order.json)
        if order.json:
            printer.result("", answer_of(found))
        for line in [] if order.json else lines:
            printer.result(line, None)
    return Exit.ALL_DONE


def _share_of(used: float, limit: float | None) -> str:
    if limit is None:
        return f"{_number(used)} used, no limit"
    return f"{_number(used)} of {_number(limit)} used, {_number(max(0, limit - used))} left"


def _number(value: float) -> str:
    """A number with at most two decimals and no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


async def retry(order: argparse.Namespace) -> Exit:
    """Retries failed media items. Continues after an item that cannot be retried."""

    async def act(client: AsyncClient, media_id: str) -> tuple[str, dict[str, object]]:
        media = await client.retry(media_id)
        return f"{media_id} → media {media.id}", {"retry_id": media.id}

    return await _each(order, act, undone={"retry_id": None})


async def delete(order: argparse.Namespace) -> Exit:
    """Deletes media items. Continues after an item that cannot be deleted."""

    async def act(client: AsyncClient, media_id: str) -> tuple[str, dict[str, object]]:
        await client.delete(media_id)
        return f"{media_id}: deleted", {"deleted": True}

    return await _each(order, act, undone={"deleted": False})


async def _each(
    order: argparse.Namespace,
    act: Callable[[AsyncClient, str], Awaitable[tuple[str, dict[str, object]]]],
    *,
    undone: dict[str, object],
) -> Exit:
    """Runs an action on each media item and continues after a failure; `undone` has the fields of a failed record."""
    _check_ids(order.media_ids)
    is_all = True
    async with client_of(order) as client:
        printer = Printer(is_json=order.json)
        for media_id in order.media_ids:
            try:
                line, done = await act(client, media_id)
            except VeilError as error:
                is_all = False
                if printer.is_json:
                    printer.result("", {"media_id": media_id, **undone, "error": reason_of(error)})
                else:
                    printer.say(f"{media_id}: {reason_of(error)['message']}", always=True)
            else:
                printer.result(line, {"media_id": media_id, **done, "error": None})
    return Exit.ALL_DONE if is_all else Exit.SOME_FAILED


async def deletions(order: argparse.Namespace) -> Exit:
    """Prints one line per deletion, latest first."""
    _check_ids(order.media_ids)
    async with client_of(order) as client:
        printer = Printer(is_json=order.json)
        cursor, left = None, order.limit
        while left > 0:
            page = await client.deletions(media_ids=order.media_ids, cursor=cursor)
            for deletion in page.data[:left]:
                printer.result(_cells_of_deletion(deletion), answer_of(deletion))
            left -= len(page.data)
            cursor = cursor_in(page.links.next)
            if cursor is None:
                break
    return Exit.ALL_DONE


def _cells_of_media(media: Media | MediaWithIncluded) -> list[str]:
    return [media.id, media.status, _time(media.created_at), media.filename]


def _time(moment: datetime) -> str:
    """A time in the API's format."""
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _cells_of_deletion(deletion: Deletion) -> list[str]:
    deleted_by = deletion.deleted_by.name or deletion.deleted_by.id
    name = deletion.file_name or "name not stored"
    return [deletion.media_id, _left_of(deletion), _time(deletion.deleted_at), deleted_by, name]


def _left_of(deletion: Deletion) -> str:
    """What is left of a deleted media item, and why it may be."""
    objects, rows = deletion.objects_left, deletion.rows_left
    left = []
    if objects:
        left.append(f"{objects} stored {'object' if objects == 1 else 'objects'} left")
    if rows:
        left.append(f"{rows} database {'row' if rows == 1 else 'rows'} left, such as an undelivered event")
    return "; ".join(left) or "nothing left"


def _check_ids(media_ids: list[str]) -> None:
    for media_id in media_ids:
        try:
            media_path_of(media_id)
        except InvalidArgumentError as error:
            raise UsageError(str(error)) from error


def _cells_of(detection: Detection) -> list[str]:
    sure = "asked for" if detection.confidence is None else f"{detection.confidence:.0%}"
    box = detection.box
    place = ",".join(f"{value:.4f}" for value in (box.x, box.y, box.width, box.height))
    state = "redacted" if detection.redacted else "open"
    times = [] if detection.start_seconds is None else [f"{detection.start_seconds:.2f}-{detection.end_seconds:.2f} s"]
    return [detection.id, detection.category or "-", sure, state, place, *times]

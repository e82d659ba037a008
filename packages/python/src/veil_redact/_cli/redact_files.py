"""`veil-redact redact`: redacts files, several at once."""

from __future__ import annotations

import argparse
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import anyio.abc

from veil_redact._async.client import AsyncClient
from veil_redact._async.download import async_save
from veil_redact._cli.exit_codes import Exit
from veil_redact._cli.inputs import OutputTakenError, Plan, Task, plan_of
from veil_redact._cli.printing import Printer, ends_all, reason_of
from veil_redact._cli.service import client_of
from veil_redact._cli.upload import upload_path
from veil_redact._offered_name import possible_paths
from veil_redact._progress import Progress
from veil_redact.errors import OutputExistsError, VeilError

_CLEAN_UP_SECONDS = 10
_LEFT_ALONE = "Unsupported extension. To upload it anyway, pass the file's path."
_OUTPUT_EXISTS = "Its redacted file exists."
_REDACTED_ALREADY = "Its name says that it is already redacted."


@dataclass
class Work:
    """The shared state of a run."""

    client: AsyncClient
    order: argparse.Namespace
    printer: Printer
    waiting: Iterator[Task]
    unfinished: set[str] = field(default_factory=set)
    """Media items on the service whose redacted file is not written yet."""
    taken: dict[Path, Task] = field(default_factory=dict)
    """The output paths of this run and their files. Another file of the run never replaces one, even with
    --force."""
    done: int = 0
    failed: int = 0
    is_over: bool = False
    is_interrupted: bool = False


async def redact_files(order: argparse.Namespace) -> Exit:
    """Redacts all files of an order and reports each. Raises UsageError before anything is sent."""
    plan = plan_of(order.paths, order.output)
    existing = (
        {task for task in plan.tasks if _existing_output(task) is not None} if order.skip_existing else set[Task]()
    )
    tasks = [task for task in plan.tasks if task not in existing]
    async with client_of(order) as client:
        printer = Printer(is_json=order.json, is_quiet=order.quiet)
        for file in plan.left_alone:
            _report_skipped(printer, file, "skipped", _LEFT_ALONE)
        for file in plan.redacted_already if printer.is_json else []:
            _report_skipped(printer, file, "redacted_already", _REDACTED_ALREADY)
        for task in (task for task in plan.tasks if task in existing):
            _report_skipped(printer, task.source, "output_exists", _OUTPUT_EXISTS)
        work = Work(client, order, printer, iter(tasks))
        async with anyio.create_task_group() as group:
            group.start_soon(_interrupt, work, group.cancel_scope)
            async with anyio.create_task_group() as workers:
                for _ in range(min(order.concurrency, len(tasks))):
                    workers.start_soon(_work_through, work)
            group.cancel_scope.cancel()
        if work.is_interrupted:
            await _forget(work)
        return _ended(work, plan, total=len(tasks), existing=len(existing))


def _existing_output(task: Task) -> Path | None:
    """An existing file at a possible path of the output."""
    paths = [task.target] if task.is_named else possible_paths(task.target)
    return next((path for path in paths if os.path.lexists(path)), None)


def _report_skipped(printer: Printer, file: Path, code: str, message: str) -> None:
    if printer.is_json:
        record = {"input": str(file), "output": None, "media_id": None, "duration_seconds": 0}
        printer.result("", {**record, "error": {"code": code, "message": message}})
    else:
        printer.say(f"{file}: Skipped. {message}", always=True)


def _ended(work: Work, plan: Plan, *, total: int, existing: int) -> Exit:
    skipped = len(plan.left_alone) + len(plan.redacted_already) + existing
    if total != 1 or skipped > 0:
        untouched = total - work.done - work.failed
        counts = ((work.failed, "failed"), (untouched, "not started"), (skipped, "skipped"))
        parts = [f"{work.done} of {total} files redacted"]
        parts += [f"{count} {word}" for count, word in counts if count > 0]
        work.printer.say(", ".join(parts) + ".")
    if work.is_interrupted:
        return Exit.INTERRUPTED
    if work.is_over:
        return Exit.STOPPED
    if work.failed > 0:
        return Exit.SOME_FAILED
    return Exit.LEFT_ALONE if plan.left_alone else Exit.ALL_DONE


async def _interrupt(work: Work, scope: anyio.CancelScope) -> None:
    """Ctrl+C stops the work and leaves no partial results."""
    try:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                work.is_interrupted = True
                scope.cancel()
                return
    except NotImplementedError:
        # On Windows, Ctrl+C ends the process as usual.
        return


async def _work_through(work: Work) -> None:
    """Processes one task after another. Starts no new ones once continuing is pointless."""
    for task in work.waiting:
        if work.is_over:
            return
        began = time.monotonic()
        media_id: list[str] = []
        error: Exception | None = None
        try:
            target = await _redact(work, task, media_id)
            task = replace(task, target=target)
            work.done += 1
        except (VeilError, OSError) as caught:
            error = caught
            work.failed += 1
            work.taken = {path: holder for path, holder in work.taken.items() if holder is not task}
            work.is_over |= ends_all(caught)
        _report(work.printer, task, media_id[0] if media_id else None, error, time.monotonic() - began)


def _report(printer: Printer, task: Task, media_id: str | None, error: Exception | None, seconds: float) -> None:
    record = {
        "input": str(task.source),
        "output": str(task.target) if error is None else None,
        "media_id": media_id,
        "duration_seconds": round(seconds, 3),
        "error": None if error is None else reason_of(error),
    }
    if error is None or printer.is_json:
        printer.result(f"{task.source} → {task.target} ({seconds:.1f} s)", record)
    else:
        printer.say(f"{task.source}: {reason_of(error)['message']}", always=True)


async def _redact(work: Work, task: Task, media_id: list[str]) -> Path:
    client, order, printer = work.client, work.order, work.printer

    def show(step: str, progress: Progress | None = None) -> None:
        share = "" if progress is None or progress.fraction is None else f" {progress.fraction:.0%}"
        printer.progress(f"{work.done + work.failed} done · {step} {task.source}{share}")

    # Checked before anything is sent; writing checks again.
    existing = None if order.force else _existing_output(task)
    if existing is not None:
        raise OutputExistsError(str(existing))
    media = await upload_path(
        client,
        task.source,
        categories=order.categories,
        redaction_method=order.method,
        sensitivity=order.sensitivity,
        min_confidence=order.min_confidence,
        regions=order.region,
        audio=order.audio,
        mute_ranges=order.mute_range,
        folder=f"{order.folder}/{task.subfolder}" if order.folder and task.subfolder else order.folder,
        metadata=order.metadata,
        on_progress=lambda progress: show("uploading", progress),
    )
    media_id.append(media.id)
    work.unfinished.add(media.id)
    show("redacting")
    media = await client.wait(media.id, timeout=order.timeout)
    if media.status != "completed":
        work.unfinished.discard(media.id)
        raise await client.media_error(media)
    task.target.parent.mkdir(parents=True, exist_ok=True)

    def claim(target: Path) -> None:
        holder = work.taken.setdefault(target, task)
        if holder is not task:
            raise OutputTakenError(target, holder)

    target = await async_save(
        client._transport,
        media.id,
        task.target,
        overwrite=order.force,
        keep_extension=task.is_named,
        claim=claim,
        on_progress=lambda progress: show("downloading", progress),
    )
    work.unfinished.discard(media.id)
    if order.delete:
        await client.delete(media.id)
    return target


async def _forget(work: Work) -> None:
    """Deletes uploaded items that will not be downloaded from the service."""

    async def forget(media_id: str) -> None:
        try:
            await work.client.delete(media_id)
        except VeilError as error:
            work.printer.say(f"Media {media_id} is still on the service: {reason_of(error)['message']}", always=True)

    with anyio.move_on_after(_CLEAN_UP_SECONDS):
        async with anyio.create_task_group() as group:
            for media_id in work.unfinished:
                group.start_soon(forget, media_id)

# Made from ../_async by scripts/generate.py; change nothing here.

"""Detections in media, and corrected versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from veil_redact._bodies import detections_query, json_body
from veil_redact._options import Includable
from veil_redact._settings import comma_separated, idempotency_key_of, media_path_of
from veil_redact._sync.connection import Connection
from veil_redact._sync.transport import Call
from veil_redact.errors import InvalidArgumentError
from veil_redact.models import (
    Detections,
    Media,
    MediaWithIncluded,
    RedactionCategory,
    RedactionMethod,
    SignedReport,
    Verification,
)
from veil_redact.params import Audio, MuteRangeParam, RegionParam


class Revisions(Connection):
    """Detections, versions, revisions and retries."""

    def get_included(self, media_id: str, *, include: Sequence[Includable]) -> MediaWithIncluded:
        """The current state of one media item, with the fields that `include` adds.

        Example:
            ```python
            media = veil.get_included(media.id, include=["versions"])
            print(media.versions)
            ```
        """
        query = {"include": comma_separated("include", include) or ""}
        return self._transport.fetch(MediaWithIncluded, Call(method="GET", path=media_path_of(media_id), query=query))

    def detections(
        self,
        media_id: str,
        *,
        redacted: bool | None = None,
        categories: Iterable[RedactionCategory] | None = None,
    ) -> Detections:
        """The detections in a completed media item, with the IDs for revisions.

        Args:
            media_id: the media item
            redacted: list only redacted ones, or only the others
            categories: list only those of these categories

        Example:
            ```python
            for one in (veil.detections(media.id, categories=["heads"])).detections:
                print(one.id, one.category, one.confidence, one.redacted)
            ```
        """
        query = detections_query(redacted=redacted, categories=categories)
        path = f"{media_path_of(media_id)}/detections"
        return self._transport.fetch(Detections, Call(method="GET", path=path, query=query))

    def verification(self, media_id: str) -> Verification:
        """The findings of a second reading of a completed media item's redacted file.

        Args:
            media_id: the media item

        Example:
            ```python
            for one in (veil.verification(media.id)).findings:
                print(one.id, one.kind, one.category)
            ```
        """
        path = f"{media_path_of(media_id)}/verification"
        return self._transport.fetch(Verification, Call(method="GET", path=path))

    def report(self, media_id: str) -> SignedReport:
        """The report of a completed media item, beside its signature.

        Store `signature`: it holds the whole report, and `verify_report` or `veil-redact verify` checks it.

        Example:
            ```python
            report = veil.report(media.id)
            print(report.payload.media.output_sha256, len(report.payload.masks))
            ```
        """
        path = f"{media_path_of(media_id)}/report"
        call = Call(method="GET", path=path, headers={"Accept": "application/json"})
        return self._transport.fetch(SignedReport, call)

    def revise(
        self,
        media_id: str,
        *,
        redact: Literal["all", "none"] | Sequence[str] | None = None,
        except_: Sequence[str] | None = None,
        regions: Sequence[RegionParam] | None = None,
        redaction_method: RedactionMethod | None = None,
        audio: Audio | None = None,
        mute_ranges: Sequence[MuteRangeParam] | None = None,
        reasons: Mapping[str, str | None] | None = None,
        burn_in_reasons: bool | None = None,
        from_current: bool = False,
        idempotency_key: str | None = None,
    ) -> Media:
        """Creates a revision of a completed media item, which hides `redact` minus `except_` plus `regions`.

        The revision is a media item like any other: wait for it and download it. Retries never create duplicates.
        Detection does not run again, and a revision does not count against the quota.

        It starts from the media item that you name: it has no regions of later revisions, and `all` is what the first
        run hid, including what an earlier revision excepted. `from_current=True` starts from the current version.

        Args:
            media_id: the media item, whose source must still be stored
            redact: IDs of detections, `all` (the default) or `none`
            except_: IDs of detections that are left visible
            regions: additional areas to redact
            redaction_method: the media item's by default
            audio: videos only; the media item's setting by default
            mute_ranges: videos only; replaces the media item's ranges
            reasons: codes of the account's list of reasons by detection ID; None for no reason
            burn_in_reasons: print the code of its reason on each mask that is large enough; the media item's
                setting by default
            from_current: start from what the file's current version hides, whichever version is named; `redact`
                then lists additional IDs
            idempotency_key: a repetition with the same key gets the first answer; generated by default

        Raises:
            ConflictError: it cannot be revised; `reason` says why, such as `source_deleted`

        Example:
            ```python
            missed: BoxParam = {"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.1}
            revision = veil.revise(media.id, except_=["det_0d2b5c3c9a10_2"], regions=[{"box": missed}])
            veil.wait(revision.id)
            ```
        """
        if isinstance(except_, str):
            raise InvalidArgumentError(f"except_ is {except_!r}; expected a list, such as [{except_!r}].")
        if from_current:
            media_id, redact = self._on_current_version(media_id, redact)
        asked = {
            "redact": redact if redact is None or isinstance(redact, str) else [*redact],
            "except": None if except_ is None else [*except_],
            "regions": regions,
            "redaction_method": redaction_method,
            "audio": audio,
            "mute_ranges": mute_ranges,
            "reasons": None if reasons is None else {**reasons},
            "burn_in_reasons": burn_in_reasons,
        }
        call = Call(
            method="POST",
            path=f"{media_path_of(media_id)}/revisions",
            headers={"Idempotency-Key": idempotency_key_of(idempotency_key)},
            body=json_body({name: value for name, value in asked.items() if value is not None}),
        )
        return self._transport.fetch(Media, call)

    def retry(self, media_id: str, *, idempotency_key: str | None = None) -> Media:
        """Retries a failed media item from its stored source with the same settings.

        The retry is a media item like any other: wait for it and download it. Repeating the call never creates
        duplicates.

        Args:
            media_id: the media item, whose source must still be stored
            idempotency_key: a repetition with the same key gets the first answer; generated by default

        Raises:
            ConflictError: it cannot be retried; `reason` is `not_failed`, `not_retryable` or `source_deleted`

        Example:
            ```python
            retry = veil.retry(media.id)
            veil.wait(retry.id)
            ```
        """
        call = Call(
            method="POST",
            path=f"{media_path_of(media_id)}/retry",
            headers={"Idempotency-Key": idempotency_key_of(idempotency_key)},
        )
        return self._transport.fetch(Media, call)

    def _on_current_version(
        self, media_id: str, redact: Literal["all", "none"] | Sequence[str] | None
    ) -> tuple[str, list[str]]:
        if isinstance(redact, str):
            raise InvalidArgumentError(f"redact is {redact!r} with from_current; leave it out, or list ids to add.")
        versions = (self.get_included(media_id, include=["versions"])).versions
        current_id = (versions.superseded_by if versions else None) or media_id
        found = self.detections(current_id, redacted=True)
        return current_id, [*dict.fromkeys([*(one.id for one in found.detections), *(redact or [])])]

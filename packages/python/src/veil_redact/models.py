# Made from openapi.json by scripts/generate.py; change nothing here.

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, TypeAlias

MediaStatus: TypeAlias = Literal["pending", "queued", "processing", "completed", "failed", "quota_exceeded"]


MediaType: TypeAlias = Literal["image", "video"]


RedactionCategory: TypeAlias = Literal[
    "heads",
    "license_plates",
    "screens",
    "writing",
    "street_signs",
    "id_cards",
    "passports",
    "credit_cards",
    "name_badges",
    "qr_codes",
    "barcodes",
    "documents",
    "tattoos",
]


RedactionMethod: TypeAlias = Literal["blur", "pixelation"]


@dataclass(frozen=True, kw_only=True)
class ErrorInformation:
    """What went wrong."""

    code: Literal[
        "unauthorized",
        "not_found",
        "conflict",
        "precondition_failed",
        "range_not_satisfiable",
        "validation_failed",
        "quota_exceeded",
        "rate_limit_exceeded",
        "server_error",
        "service_unavailable",
    ]
    """Machine-readable code."""
    message: str
    """Human-readable text."""
    details: dict[str, Any]
    """Further information. For `validation_failed`: a list of sentences for each faulty field. For `conflict`: `reason`. For `quota_exceeded`: `metric`, `used`, `limit`, `period_end`. For `rate_limit_exceeded`: `limit`, `reset`. For `range_not_satisfiable`: `size_bytes`."""


@dataclass(frozen=True, kw_only=True)
class ErrorBody:
    error: ErrorInformation
    """What went wrong."""
    request_id: str
    """Identifies the request for support and logs."""


@dataclass(frozen=True, kw_only=True)
class MuteRange:
    start_seconds: float
    """When it begins, from the first frame shown."""
    end_seconds: float
    """When it ends."""
    sound: Literal["silence", "tone"] | None = None
    """What is heard instead. Vorbis audio becomes silent in both cases. `silence` unless given."""


@dataclass(frozen=True, kw_only=True)
class ResumableUpload:
    upload_id: str
    """Send it as `upload_id` once all bytes have arrived. It is a secret, because it is part of the URL."""
    upload_url: str
    """Where to send the bytes. No API key is needed there."""
    expires_at: datetime
    """When the upload and all bytes received so far are deleted."""


@dataclass(frozen=True, kw_only=True)
class Pagination:
    """The number of this page, and the number of pages."""

    page: int
    """This page, as asked for: past the end, it is greater than `total_pages`. With `cursor`, always 1."""
    per_page: int
    """Most items per page."""
    total: int
    """Items on all pages."""
    total_pages: int
    """Pages in all."""


@dataclass(frozen=True, kw_only=True)
class Links:
    """The pages beside this one."""

    next: str | None
    """The next page. Null on the last one."""
    previous: str | None
    """The page before; past the end, the last page. Null on the first one, and with `cursor`."""


@dataclass(frozen=True, kw_only=True)
class Versions:
    first: str
    """The ID of the upload that all versions were made from. It may have been deleted."""
    revision_of: str | None
    """The same ID if this is a revision or a retry; null if it is the upload."""
    superseded_by: str | None
    """The ID of the current version if it is newer than this one, otherwise null."""
    current: bool
    """Whether this is the current version: the newest completed one, or the newest one if none is completed."""


@dataclass(frozen=True, kw_only=True)
class IncludedFailure:
    code: str
    """A `FailureCode`."""
    message: str
    """What happened, and what to do about it."""
    retryable: bool
    """Whether another attempt with the same file may succeed, such as `POST /media/{mediaId}/retry`."""


@dataclass(frozen=True, kw_only=True)
class Links1:
    """The page after this one."""

    next: str | None
    """The next page. Null on the last one."""


@dataclass(frozen=True, kw_only=True)
class DeletedBy:
    """Who deleted it."""

    type: Literal["user", "api_key", "operator"]
    """A person, an API key, or the operator of the service."""
    id: str
    """The ID of that person or key."""
    name: str | None
    """The current name. Null if the person or key no longer exists."""


@dataclass(frozen=True, kw_only=True)
class Deletion:
    media_id: str
    """The media item that was deleted."""
    revision_of: str | None
    """If the media item was a revision, the ID of the upload that it was made from."""
    media_type: Literal["image", "video"]
    """Whether it was an image or a video."""
    file_name: str | None
    """The name, while the account keeps names of deleted files; otherwise null."""
    file_name_digest: str
    """HMAC-SHA256 of the file name with a secret key of the account. To check a name, send it as the query parameter `file_name`."""
    file_size_bytes: int
    """Size of the uploaded file."""
    source_sha256: str | None
    """SHA-256 of the uploaded file. Null if unknown."""
    result_sha256: str | None
    """SHA-256 of the redacted file. Null if there was none, or if it is unknown."""
    uploaded_at: datetime
    """When the file was uploaded. For a revision, when the upload that it was made from was."""
    version_made_at: datetime | None
    """If the media item was a revision, when that was made; otherwise null."""
    deleted_at: datetime
    """When it was deleted."""
    deleted_by: DeletedBy
    """Who deleted it."""
    request_id: str
    """The request that deleted it. Files deleted together share one request ID."""
    objects_left: int
    """How many of its objects, of any kind, were still in storage at `checked_at`."""
    rows_left: int
    """How many database rows still referred to it at `checked_at`, such as an undelivered event."""
    purge_again_at: datetime | None
    """When its objects are deleted once more, in case a job that was running during the deletion wrote any. Null once that is done."""


FailureCode: TypeAlias = Literal[
    "source_undecodable",
    "source_unreadable",
    "source_missing",
    "source_changed",
    "not_an_image",
    "redaction_undecodable",
    "redaction_too_large",
    "redaction_unsupported",
    "plan_no_frames",
    "plan_no_key_frame",
    "plan_timestamps_repeat",
    "plan_group_of_pictures_too_long",
    "duration_over_limit",
    "frames_over_limit",
    "engine_failed",
    "engine_out_of_memory",
    "media_service_missing",
    "engine_unsupported_runtime",
    "categories_unserved",
    "stored_data_unreadable",
    "worker_lost",
    "retries_spent",
    "quota_exceeded",
    "unexpected",
]
"""Why a media item has no redacted file."""


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Why it is hidden: a code of the account's list of reasons, and its text at the time of the version."""

    code: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Box:
    """Fractions 0…1 of the picture as a person sees it, from the left and the top. The box of a video's detection holds all its keyframes."""

    x: float
    """The left edge, as a fraction of the picture's width."""
    y: float
    """The top edge, as a fraction of the picture's height."""
    width: float
    """As a fraction of the picture's width."""
    height: float
    """As a fraction of the picture's height."""


@dataclass(frozen=True, kw_only=True)
class DetectedSound:
    start_seconds: float
    """When it begins, from the first frame shown."""
    end_seconds: float
    """When it ends."""
    kind: Literal["speech", "requested", "whole_track"]
    """`speech` that was found, a `requested` range, or the `whole_track`: all audio is removed, or a track's codec cannot be muted in part."""
    sound: Literal["silence", "tone"]
    """What is heard instead if it is redacted."""
    redacted: bool
    """Whether it is muted in the redacted file."""


@dataclass(frozen=True, kw_only=True)
class ReportedService:
    name: str
    version: str


@dataclass(frozen=True, kw_only=True)
class ReportedMedia:
    id: str
    filename: str
    media_type: Literal["image", "video"]
    source_sha256: str | None
    """The uploaded file. Null for uploads from before hashes were taken."""
    source_bytes: int
    output_sha256: str | None
    """The redacted file. Null if none was written."""
    output_bytes: int | None
    created_at: datetime
    processed_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ReportedModel:
    id: str
    version: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class ReportedVersion:
    id: str
    kind: Literal["upload", "revision", "retry"]
    status: MediaStatus
    created_at: datetime
    processed_at: datetime | None
    current: bool
    by: str | None
    """`detector`, `request`, or the ID of a member. Null if it is not known."""
    output_sha256: str | None


@dataclass(frozen=True, kw_only=True)
class ReportedLeftOpen:
    id: str
    category: RedactionCategory | None
    by: str | None
    """`detector`, `request`, or the ID of a member. Null if it is not known."""
    reason: str | None
    """Null if none was given."""


@dataclass(frozen=True, kw_only=True)
class ReportedSound:
    start_seconds: float
    end_seconds: float
    kind: Literal["speech", "requested", "whole_track"]
    """As in `Detections`."""
    sound: Literal["silence", "tone"]


@dataclass(frozen=True, kw_only=True)
class LookedAt:
    """How many photos and how many frames of a video were read again."""

    pictures: int
    frames: int


@dataclass(frozen=True, kw_only=True)
class ReportedReview:
    decision: Literal["approved", "corrected"]
    by: str | None
    """`detector`, `request`, or the ID of a member. Null if it is not known."""
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Box1:
    """Fractions 0…1 of the picture as a person sees it, from the left and the top."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, kw_only=True)
class VerificationFinding:
    id: str
    """Identifies the finding."""
    kind: Literal["found_again", "readable", "unseen_gap"]
    """`found_again`: a requested category is found where nothing was painted. `readable`: a code or a line of writing can still be read under a mask. `unseen_gap`: a track was not seen for more than 0.5 s, and its place was computed."""
    category: RedactionCategory
    confidence: float
    box: Box1
    """Fractions 0…1 of the picture as a person sees it, from the left and the top."""
    start_seconds: float | None = None
    """Videos only, from the first frame shown."""
    end_seconds: float | None = None
    """Videos only."""


@dataclass(frozen=True, kw_only=True)
class Verification:
    media_id: str
    """The media item."""
    status: Literal["passed", "findings", "not_done"]
    """`passed`: nothing was found. `findings`: see `findings`. `not_done`: the redacted file was not read again, because nobody asked for it or because the detector could not be reached."""
    looked_at: LookedAt
    """How many photos and how many frames of a video were read again."""
    findings: list[VerificationFinding]


@dataclass(frozen=True, kw_only=True)
class ImageUsage:
    """Images completed in the period. A null limit means unlimited."""

    used: int
    """Images completed so far."""
    limit: int | None
    """Images in the plan. Null means unlimited."""


@dataclass(frozen=True, kw_only=True)
class VideoUsage:
    """Minutes of video completed in the period. A null limit means unlimited."""

    used: float
    """Minutes of video completed so far."""
    limit: float | None
    """Minutes of video in the plan. Null means unlimited."""


@dataclass(frozen=True, kw_only=True)
class Usage:
    plan: str
    """Name of the current plan."""
    period_start: date
    """First day of the billing period."""
    period_end: date
    """Last day of the billing period."""
    images: ImageUsage
    """Images completed in the period. A null limit means unlimited."""
    video_minutes: VideoUsage
    """Minutes of video completed in the period. A null limit means unlimited."""


@dataclass(frozen=True, kw_only=True)
class Keyframe:
    time_seconds: float
    """The time in seconds from the first frame shown."""
    box: Box


@dataclass(frozen=True, kw_only=True)
class Media:
    id: str
    """Identifier of the media item."""
    status: MediaStatus
    filename: str
    """Name of the uploaded file."""
    media_type: MediaType
    categories: list[RedactionCategory]
    """What the upload asked to redact."""
    redaction_method: RedactionMethod
    file_size_bytes: int
    """Size of the uploaded file."""
    duration_seconds: float | None
    """Null for images."""
    created_at: datetime
    """When it was uploaded."""
    processed_at: datetime | None
    """Null until processing completes."""
    failed_at: datetime | None
    """Null unless processing failed."""
    download_url: str | None = None
    """The URL of the redacted file. Present only on completed media."""


@dataclass(frozen=True, kw_only=True)
class MediaFailedEvent:
    id: str
    """Identifies the event. Every delivery of an event has the same ID."""
    timestamp: datetime
    """When the event happened."""
    media_id: str
    """The media item that the event is about."""
    event: Literal["media.failed"]
    """The kind of event."""
    status: Literal["failed"]
    """Always failed in this event."""
    processed_at: None
    """Always null in this event."""
    failed_at: datetime
    """When processing failed."""
    media: Media


@dataclass(frozen=True, kw_only=True)
class MediaSourceDeletedEvent:
    id: str
    """Identifies the event. Every delivery of an event has the same ID."""
    timestamp: datetime
    """When the event happened."""
    media_id: str
    """The media item that the event is about."""
    event: Literal["media.source_deleted"]
    """The kind of event."""
    status: MediaStatus
    processed_at: datetime | None
    """When processing completed; otherwise null."""
    failed_at: datetime | None
    """When processing failed; otherwise null."""
    media: Media | None
    """Null when the media item itself was deleted."""


@dataclass(frozen=True, kw_only=True)
class Region:
    """An area of the picture as a person sees it, in fractions 0…1 from the left and the top: a box, or a polygon of 3 to 64 corners, whose convex hull is hidden. Regions of videos can have a start and an end, and keyframes instead of a box; the box moves at constant speed from one keyframe to the next."""

    category: RedactionCategory | None = None
    reason: str | None = None
    """Why it is hidden: a code of the account's list of reasons, or null for none. By default, that of its category. Not for `ignore_regions`."""
    box: Box | None = None
    polygon: list[list[float]] | None = None
    """The area, if it is a polygon: corners [x, y] in fractions. Its convex hull is hidden."""
    start_seconds: float | None = None
    """Videos only: when it begins, in seconds from the first frame shown. By default at the start."""
    end_seconds: float | None = None
    """Videos only: when it ends, in seconds. By default at the end of the video."""
    keyframes: list[Keyframe] | None = None
    """Videos only: a box that moves. It moves at constant speed from one keyframe to the next."""


@dataclass(frozen=True, kw_only=True)
class IncludedRequest:
    sensitivity: Literal["low", "normal", "high"]
    """`normal` unless asked otherwise. `min_confidence` takes its place."""
    min_confidence: float | dict[str, float] | None
    """A threshold for all categories, or thresholds by category; null if none was sent."""
    regions: list[Region] | None
    """The regions that are always redacted, with five decimals. Null in a list if the options take more than 16384 characters: get the media item by itself."""
    ignore_regions: list[Region] | None
    """Detections inside these regions stay visible. Coordinates have five decimals. Null in a list if `regions` is null."""
    detect_only: bool
    """Whether detections are stored and no redacted file is written."""
    audio: Literal["keep", "mute", "mute_speech"]
    """What happens to the sound. `keep` for images."""
    verify: bool
    """Whether the redacted file is read again."""
    mute_ranges: list[MuteRange] | None = None
    """The ranges that are always muted, merged. Absent if there are none."""


@dataclass(frozen=True, kw_only=True)
class Deletions:
    checked_at: datetime
    """When storage and the database were checked for remaining data."""
    data: list[Deletion]
    """The deletions on this page, the latest first."""
    links: Links1
    """The page after this one."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why there is no redacted file. Null unless the media failed or exceeded the quota."""

    code: FailureCode
    message: str
    """What happened, and what to do about it."""


@dataclass(frozen=True, kw_only=True)
class StatusDetails:
    media_id: str
    """The media item."""
    status: MediaStatus
    progress: float | None
    """Progress from 0 (queued) to 1 (completed). Null if unknown: during an upload, while an image is processed, and for media that ended without a redacted file."""
    step: Literal["upload", "plan", "analyse", "link", "render", "assemble"] | None
    """The current step. Videos are planned, analyzed, linked, rendered and assembled; images have no steps. Null while the media is not being processed."""
    failure: Failure | None
    """Why there is no redacted file. Null unless the media failed or exceeded the quota."""
    source_expires_at: datetime | None
    """When the uploaded file is deleted. Null until processing has ended, and after the deletion."""
    output_expires_at: datetime | None
    """When the redacted file is deleted. Null while there is none."""


@dataclass(frozen=True, kw_only=True)
class Detection:
    id: str
    """Identifies the detection in a revision. It never changes."""
    category: RedactionCategory | None
    """Null for a requested region without a category."""
    confidence: float | None
    """How confident the detector is. Null for a requested region."""
    origin: Literal["detector", "request"]
    """Whether it was detected, or requested as a region."""
    redacted: bool
    """Whether it is hidden in the redacted file, or would be if the media had been redacted (`detect_only`). Candidates below the threshold are listed with `false`."""
    box: Box
    reason: Reason | None = None
    """Why it is hidden: a code of the account's list of reasons, and its text at the time of the version."""
    polygon: list[list[float]] | None = None
    """Its outline, if known."""
    start_seconds: float | None = None
    """Videos only: when it is first hidden, counted from the first frame shown."""
    end_seconds: float | None = None
    """Videos only: when it is last hidden."""
    keyframes: list[Keyframe] | None = None
    """Videos only: where it is. The box moves at constant speed from one keyframe to the next."""


@dataclass(frozen=True, kw_only=True)
class ReportedRequest:
    """What the upload asked for. Null where the upload of a revision is deleted."""

    categories: list[RedactionCategory]
    redaction_method: RedactionMethod
    sensitivity: Literal["low", "normal", "high"] | None
    """`normal` unless asked otherwise. `min_confidence` takes its place."""
    min_confidence: float | dict[str, float] | None
    """A threshold for all categories, or thresholds by category; null if none was sent."""
    regions: list[Region] | None
    """The regions that are always redacted, with five decimals. Null in a list if the options take more than 16384 characters: get the media item by itself."""
    ignore_regions: list[Region] | None
    """Detections inside these regions stay visible. Coordinates have five decimals. Null in a list if `regions` is null."""
    audio: Literal["keep", "mute", "mute_speech"]
    """What happens to the sound. `keep` for images."""
    verify: bool


@dataclass(frozen=True, kw_only=True)
class ReportedMask:
    id: str
    category: RedactionCategory | None
    origin: Literal["detector", "request"]
    reason: str | None
    """Null if none was given."""
    by: str | None
    """`detector`, `request`, or the ID of a member. Null if it is not known."""
    box: Box | None = None
    keyframes: list[Keyframe] | None = None
    """Videos only."""
    start_seconds: float | None = None
    end_seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class ReportedVerification:
    status: Literal["passed", "findings", "not_done"]
    """`passed`: nothing was found. `findings`: see `findings`. `not_done`: the redacted file was not read again, because nobody asked for it or because the detector could not be reached."""
    looked_at: LookedAt
    """How many photos and how many frames of a video were read again."""
    findings: list[VerificationFinding]


@dataclass(frozen=True, kw_only=True)
class Report:
    """What was done to a file: no picture, no text that was read."""

    report_version: Literal[1]
    issued_at: datetime
    service: ReportedService
    account_id: str
    media: ReportedMedia
    request: ReportedRequest
    """What the upload asked for. Null where the upload of a revision is deleted."""
    models: list[ReportedModel]
    """Empty for media from before models were recorded."""
    versions: list[ReportedVersion]
    """The versions of the file, oldest first."""
    masks: list[ReportedMask]
    """What is hidden."""
    left_open: list[ReportedLeftOpen]
    """What was found and is visible: by choice, or below the threshold."""
    truncated: bool
    """Whether `masks` and `left_open` leave something out."""
    sound: list[ReportedSound]
    """What is muted."""
    verification: ReportedVerification
    review: ReportedReview | None


@dataclass(frozen=True, kw_only=True)
class MediaProcessedEvent:
    id: str
    """Identifies the event. Every delivery of an event has the same ID."""
    timestamp: datetime
    """When the event happened."""
    media_id: str
    """The media item that the event is about."""
    event: Literal["media.processed"]
    """The kind of event."""
    status: Literal["completed"]
    """Always completed in this event."""
    processed_at: datetime
    """When processing completed."""
    failed_at: None
    """Always null in this event."""
    media: Media


@dataclass(frozen=True, kw_only=True)
class MediaWithIncluded:
    """A media item. The fields after `download_url` are present if `include` asks for them."""

    id: str
    """Identifier of the media item."""
    status: MediaStatus
    filename: str
    """Name of the uploaded file."""
    media_type: MediaType
    categories: list[RedactionCategory]
    """What the upload asked to redact."""
    redaction_method: RedactionMethod
    file_size_bytes: int
    """Size of the uploaded file."""
    duration_seconds: float | None
    """Null for images."""
    created_at: datetime
    """When it was uploaded."""
    processed_at: datetime | None
    """Null until processing completes."""
    failed_at: datetime | None
    """Null unless processing failed."""
    download_url: str | None = None
    """The URL of the redacted file. Present only on completed media."""
    versions: Versions | None = None
    failure: IncludedFailure | None = None
    """With `include=failure`: why there is no redacted file. Null unless the media failed or exceeded the quota."""
    metadata: dict[str, str] | None = None
    """With `include=metadata`: the texts sent with the upload."""
    folder: str | None = None
    """With `include=metadata`: the folder sent with the upload. Null if there was none."""
    request: IncludedRequest | None = None
    """With `include=request`: the options of the upload. Null for a revision, whose detections say what it redacts, and until the file has arrived."""


@dataclass(frozen=True, kw_only=True)
class Detections:
    media_id: str
    """The media item."""
    width: int
    """In pixels, as a person sees it."""
    height: int
    """In pixels, as a person sees it."""
    duration_seconds: float | None
    """Null for images."""
    source_available_until: datetime | None
    """The time until which revisions can be made. Null if the source has been deleted."""
    revision_of: str | None
    """If this is a revision, the ID of the upload that it was made from."""
    detections: list[Detection]
    """What was found or asked for, redacted or not."""
    truncated: bool
    """Whether there are more detections than are listed."""
    sound: list[DetectedSound] | None = None
    """Videos only: speech and muted sound. Absent if there is none."""


@dataclass(frozen=True, kw_only=True)
class SignedReport:
    payload: Report
    signature: str
    """The JSON Web Signature in compact form. Its payload is `payload`."""


@dataclass(frozen=True, kw_only=True)
class MediaCollection:
    data: list[MediaWithIncluded]
    """The media on this page, newest first."""
    pagination: Pagination
    """The number of this page, and the number of pages."""
    links: Links
    """The pages beside this one."""

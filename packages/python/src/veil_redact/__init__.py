"""Client of the Veil API: blur faces, license plates and other private things in photos and videos.

```python
from veil_redact import Client

with Client() as veil:  # VEIL_API_KEY and VEIL_BASE_URL
    media = veil.redact("photo.jpg", categories=["heads", "license_plates"])
    veil.download(media.id, "redacted.jpg")
```
"""

from veil_redact._async.client import AsyncClient
from veil_redact._async.download import AsyncDownload
from veil_redact._progress import Progress, ProgressListener
from veil_redact._retry import RetryPolicy
from veil_redact._sync.client import Client
from veil_redact._sync.download import Download
from veil_redact._upload_file import UploadSource
from veil_redact._version import __version__
from veil_redact.errors import (
    ApiError,
    ConflictError,
    ConnectionFailedError,
    InvalidArgumentError,
    MediaFailedError,
    NotFoundError,
    OutputExistsError,
    QuotaExceededError,
    RateLimitExceededError,
    ReportError,
    ServerError,
    SignatureError,
    TimedOutError,
    UnauthorizedError,
    UnexpectedAnswerError,
    UploadFileError,
    ValidationFailedError,
    VeilError,
)
from veil_redact.models import (
    Box,
    Deletion,
    Deletions,
    Detection,
    Detections,
    Failure,
    Media,
    MediaCollection,
    MediaFailedEvent,
    MediaProcessedEvent,
    MediaSourceDeletedEvent,
    MediaStatus,
    MediaType,
    MediaWithIncluded,
    RedactionCategory,
    RedactionMethod,
    Report,
    SignedReport,
    StatusDetails,
    Usage,
    Verification,
    VerificationFinding,
)
from veil_redact.params import BoxParam, MuteRangeParam, RegionParam, Sensitivity
from veil_redact.reports import VerifiedReport, fetch_report_keys, verify_report
from veil_redact.webhooks import OtherEvent, WebhookEvent, verify_webhook

__all__ = [
    "ApiError",
    "AsyncClient",
    "AsyncDownload",
    "Box",
    "BoxParam",
    "Client",
    "ConflictError",
    "ConnectionFailedError",
    "Deletion",
    "Deletions",
    "Detection",
    "Detections",
    "Download",
    "Failure",
    "InvalidArgumentError",
    "Media",
    "MediaCollection",
    "MediaFailedError",
    "MediaFailedEvent",
    "MediaProcessedEvent",
    "MediaSourceDeletedEvent",
    "MediaStatus",
    "MediaType",
    "MediaWithIncluded",
    "MuteRangeParam",
    "NotFoundError",
    "OtherEvent",
    "OutputExistsError",
    "Progress",
    "ProgressListener",
    "QuotaExceededError",
    "RateLimitExceededError",
    "RedactionCategory",
    "RedactionMethod",
    "RegionParam",
    "Report",
    "ReportError",
    "RetryPolicy",
    "Sensitivity",
    "ServerError",
    "SignatureError",
    "SignedReport",
    "StatusDetails",
    "TimedOutError",
    "UnauthorizedError",
    "UnexpectedAnswerError",
    "UploadFileError",
    "UploadSource",
    "Usage",
    "ValidationFailedError",
    "VeilError",
    "Verification",
    "VerificationFinding",
    "VerifiedReport",
    "WebhookEvent",
    "__version__",
    "fetch_report_keys",
    "verify_report",
    "verify_webhook",
]

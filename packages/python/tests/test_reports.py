"""Verification of reports."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.scripted_service import MEDIA_ID, answer, scripted
from tests.test_command import run
from veil_redact import Client, ReportError, UnexpectedAnswerError, fetch_report_keys, verify_report
from veil_redact._decode import answer_of

OUTPUT = b"the redacted picture"
SOURCE = b"the original picture"
AT = "2026-11-27T03:00:00.000Z"


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


PAYLOAD: dict[str, Any] = {
    "report_version": 1,
    "issued_at": AT,
    "service": {"name": "Veil", "version": "1.0.0"},
    "account_id": "acc_1",
    "media": {
        "id": MEDIA_ID,
        "filename": "street.jpg",
        "media_type": "image",
        "source_sha256": sha256_of(SOURCE),
        "source_bytes": len(SOURCE),
        "output_sha256": sha256_of(OUTPUT),
        "output_bytes": len(OUTPUT),
        "created_at": AT,
        "processed_at": AT,
    },
    "request": {
        "categories": ["heads"],
        "redaction_method": "blur",
        "sensitivity": "normal",
        "min_confidence": {"heads": 0.5},
        "regions": [],
        "ignore_regions": None,
        "audio": "keep",
        "verify": False,
    },
    "models": [{"id": "heads", "version": "3.1.0", "sha256": "a" * 64}],
    "versions": [],
    "masks": [
        {
            "id": "dét_1",
            "category": "heads",
            "origin": "detector",
            "box": {"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.4},
            "reason": None,
            "by": "detector",
        }
    ],
    "left_open": [],
    "truncated": False,
    "sound": [],
    "verification": {"status": "not_done", "looked_at": {"pictures": 0, "frames": 0}, "findings": []},
    "review": None,
}


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def part(value: object) -> str:
    return encoded(json.dumps(value).encode())


class Key:
    def __init__(self, kid: str) -> None:
        self.kid = kid
        self.private = Ed25519PrivateKey.generate()
        self.x = encoded(self.private.public_key().public_bytes_raw())
        self.jwk = {"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": self.x}


KEY, OLD_KEY = Key("current"), Key("replaced")
KEYS = {"keys": [KEY.jwk, OLD_KEY.jwk]}


def signed(by: Key = KEY, payload: object = PAYLOAD, **header: object) -> str:
    text = f"{part({'alg': 'EdDSA', 'kid': by.kid, 'typ': 'veil-report+jws', **header})}.{part(payload)}"
    return f"{text}.{encoded(by.private.sign(text.encode()))}"


def test_is_verified_in_both_of_its_forms_with_the_key_that_it_names() -> None:
    jws = signed()
    for report in (jws, f"{jws}\n".encode(), json.dumps({"payload": PAYLOAD, "signature": jws}, indent=2)):
        verified = verify_report(report, KEYS)
        assert verified.key_id == "current"
        assert verified.report.media.output_sha256 == sha256_of(OUTPUT)
        assert answer_of(verified.report) == PAYLOAD
    assert verify_report(signed(OLD_KEY), KEYS).key_id == "replaced"


@pytest.mark.parametrize("is_json", [False, True])
def test_any_changed_byte_is_noticed(is_json: bool) -> None:
    jws = signed()
    report = (json.dumps({"payload": PAYLOAD, "signature": jws}, ensure_ascii=False) if is_json else jws).encode()
    if is_json:
        report = report.replace(b": ", b":").replace(b", ", b",")
    for at in range(len(report)):
        for change in (0x01, 0x20, 0x80):
            changed = bytearray(report)
            changed[at] ^= change
            with pytest.raises(ReportError):
                verify_report(bytes(changed), KEYS)


def test_any_missing_or_added_byte_is_noticed() -> None:
    jws = signed()
    for at in range(len(jws)):
        for changed in (jws[:at] + jws[at + 1 :], f"{jws[:at]}A{jws[at:]}"):
            with pytest.raises(ReportError):
                verify_report(changed, KEYS)


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (f"{part({'alg': 'none', 'kid': 'current', 'typ': 'veil-report+jws'})}.{part(PAYLOAD)}.", "compact form"),
        (signed(alg="none"), '"none"; only EdDSA'),
        (signed(alg="ES256"), '"ES256"; only EdDSA'),
        (signed(kid="replaced"), "does not match"),
        (signed(kid="mine"), '"mine", which is not among the keys'),
        (signed(kid=None), "names no key"),
        (signed(Key("current")), "does not match"),
        (signed(jwk=KEY.jwk), "The header has jwk"),
        (signed(jku="https://evil.example.com/jwks.json"), "The header has jku"),
        (signed(x5c=[]), "The header has x5c"),
        (signed(crit=["b64"], b64=False), "The header has crit, b64"),
        (signed(typ="JWT"), 'the type "JWT"'),
        (signed(payload={**PAYLOAD, "report_version": 2}), "has version 2"),
        (signed(payload=[]), "not a JSON object"),
        ("", "compact form"),
        (f"{signed()}.AA", "compact form"),
        (json.dumps({"payload": {**PAYLOAD, "truncated": 0}, "signature": signed()}), "not the signed one"),
        (json.dumps({"payload": PAYLOAD, "signature": signed(), "note": 1}), "exactly `payload` and `signature`"),
    ],
)
def test_is_refused(report: str, reason: str) -> None:
    with pytest.raises(ReportError) as caught:
        verify_report(report, KEYS)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "secret", [KEY.x.encode(), KEY.private.public_key().public_bytes_raw(), json.dumps(KEY.jwk).encode()]
)
def test_the_public_key_is_no_secret_of_an_hmac(secret: bytes) -> None:
    text = f"{part({'alg': 'HS256', 'kid': 'current', 'typ': 'veil-report+jws'})}.{part(PAYLOAD)}"
    signature = encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest())
    with pytest.raises(ReportError, match='"HS256"; only EdDSA'):
        verify_report(f"{text}.{signature}", KEYS)


def test_a_key_of_another_kind_is_refused() -> None:
    with pytest.raises(ReportError, match="not an Ed25519 key"):
        verify_report(signed(), {"keys": [{**KEY.jwk, "kty": "EC", "crv": "P-256"}]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "report.jws").write_text(signed())
    (tmp_path / "out.jpg").write_bytes(OUTPUT)
    (tmp_path / "in.jpg").write_bytes(SOURCE)
    (tmp_path / "jwks.json").write_text(json.dumps(KEYS))
    return tmp_path


def test_the_command_says_in_one_sentence_what_is_proven(folder: Path) -> None:
    code, out, err = run(folder, "verify", "report.jws", "out.jpg", "--jwks", "jwks.json")
    assert (code, err) == (0, "")
    assert out == (
        f"Proven: out.jpg is, byte by byte, the redacted file of media {MEDIA_ID}, and its report of {AT} "
        "is unchanged since the key current of jwks.json signed it.\n"
    )
    code, out, _ = run(folder, "verify", "report.jws", "in.jpg", "--jwks", "jwks.json", "--json")
    assert (code, json.loads(out)["file"]) == (0, "source")


def test_the_command_notices_a_changed_byte_of_the_file(folder: Path) -> None:
    for at in range(len(OUTPUT)):
        changed = bytearray(OUTPUT)
        changed[at] ^= 1
        (folder / "out.jpg").write_bytes(changed)
        code, out, err = run(folder, "verify", "report.jws", "out.jpg", "--jwks", "jwks.json")
        assert (code, out) == (1, "")
        assert err.startswith("Not proven: The report is genuine, but the file is neither")


def test_the_command_refuses_a_forged_report(folder: Path) -> None:
    (folder / "report.jws").write_text(signed(alg="none"))
    code, out, _ = run(folder, "verify", "report.jws", "out.jpg", "--jwks", "jwks.json", "--json")
    assert code == 1
    assert json.loads(out) == {
        "valid": False,
        "sentence": 'Not proven: The header has the algorithm "none"; only EdDSA is accepted.',
    }


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["report.jws", "out.jpg", "--jwks", "out.jpg"], "out.jpg is no list of public keys"),
        (["report.jws", "gone.jpg", "--jwks", "jwks.json"], "gone.jpg cannot be read"),
        (["report.jws"], "FILE"),
        (["report.jws", "out.jpg"], "No service was given"),
    ],
)
def test_a_wrong_command_says_why(folder: Path, args: list[str], sentence: str) -> None:
    code, _, err = run(folder, "verify", *args)
    assert code == 2
    assert sentence in err


def test_the_command_fetches_the_keys_without_the_api_key(folder: Path) -> None:
    with scripted(answer(200, KEYS), answer(404, {})) as service:
        code, out, _ = run(folder, "verify", "report.jws", "out.jpg", service=service)
        assert (code, f"of 127.0.0.1:{service.port} signed it" in out) == (0, True)
        assert [(one.target, "authorization" in one.headers) for one in service.requests] == [
            ("/.well-known/jwks.json", False)
        ]
        code, _, err = run(folder, "verify", "report.jws", "out.jpg", service=service)
        assert (code, "The public keys cannot be had" in err) == (3, True)


def test_the_client_gets_a_report_beside_its_signature() -> None:
    with scripted(answer(200, {"payload": PAYLOAD, "signature": signed()}), answer(200, {"keys": [1]})) as service:
        with Client("veil_k", service.base_url) as veil:
            report = veil.report(MEDIA_ID)
        assert service.requests[0].target.endswith(f"/media/{MEDIA_ID}/report")
        assert service.requests[0].headers["accept"] == "application/json"
        assert report.payload.masks[0].by == "detector"
        assert verify_report(report.signature, KEYS).report == report.payload
        with pytest.raises(UnexpectedAnswerError):
            fetch_report_keys(service.base_url)

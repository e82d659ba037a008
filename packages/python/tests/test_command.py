"""The `veil-redact` command."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

from tests.scripted_service import (
    COMPLETED,
    MEDIA,
    MEDIA_ID,
    Behavior,
    Request,
    ScriptedService,
    answer,
    drop,
    error,
    scripted,
    silence,
)
from veil_redact._cli.main import main

SOURCES = Path(__file__).resolve().parent.parent / "src"
FILE = b"redacted"
REDACTED = [answer(201, MEDIA), answer(200, COMPLETED), answer(200, FILE, kind="image/jpeg")]


def environment(service: ScriptedService | None) -> dict[str, str]:
    named = {} if service is None else {"VEIL_BASE_URL": service.base_url, "VEIL_API_KEY": "veil_test"}
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(SOURCES),
        "PYTHONIOENCODING": "utf-8",
        **named,
    }


def run(folder: Path, *args: str, service: ScriptedService | None = None) -> tuple[int, str, str]:
    """Runs the command in this process, because a new process would take longer to start than to work."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with (
            mock.patch.dict(os.environ, environment(service), clear=True),
            redirect_stdout(io.StringIO()) as out,
            redirect_stderr(io.StringIO()) as err,
        ):
            code = main(args)
    finally:
        os.chdir(before)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in" / "more").mkdir(parents=True)
    for name in ("a.jpg", "more/b.png", "c.redacted.jpg", ".hidden.jpg"):
        (tmp_path / "in" / name).write_bytes(b"pixels")
    return tmp_path


def test_a_file_gets_the_extension_of_what_is_in_it_unless_it_was_named(folder: Path) -> None:
    (folder / "c.mkv").write_bytes(b"film")
    offered = {"Content-Disposition": "attachment; filename=\"c.redacted.mp4\"; filename*=UTF-8''c.redacted.mp4"}
    film = [answer(201, MEDIA), answer(200, COMPLETED), answer(200, FILE, offered, kind="video/mp4")]
    labels = ("--folder", "case 17", "--metadata", "note=a=b", "--external-id", "t-1")
    with scripted(*film, *film) as service:
        code, out, _ = run(folder, "redact", "c.mkv", "-c", "heads", "--json", *labels, service=service)
        assert (code, json.loads(out)["output"]) == (0, "c.redacted.mp4")
        assert run(folder, "redact", "c.mkv", "-c", "heads", "-q", "-o", "mine.mkv", service=service)[0] == 0
        code, _, err = run(folder, "redact", "c.mkv", "-c", "heads", "-q", service=service)
        assert (code, "c.redacted.mp4 already exists" in err) == (1, True)
    form = service.requests[0].body.decode()
    assert 'name="folder"\r\n\r\ncase 17' in form
    assert '{"note": "a=b", "external_id": "t-1"}' in form
    assert (folder / "c.redacted.mp4").read_bytes() == FILE
    assert (folder / "mine.mkv").read_bytes() == FILE
    assert not (folder / "c.redacted.mkv").exists()


def offered(name: str) -> Behavior:
    """A download for which the service suggests a name."""
    headers = {"Content-Disposition": f"attachment; filename=\"x\"; filename*=UTF-8''{name}"}
    return answer(200, FILE, headers, kind="video/mp4")


def test_one_file_of_a_run_is_never_written_over_another(folder: Path) -> None:
    for name in ("c.mkv", "c.mp4"):
        (folder / name).write_bytes(b"film")
    film = [answer(201, MEDIA), answer(200, COMPLETED), offered("c.redacted.mp4")]
    with scripted(*film, *film) as service:
        args = ("redact", "c.mp4", "c.mkv", "-c", "heads", "--force", "-j", "1", "--json")
        code, out, _ = run(folder, *args, service=service)
    first, second = [json.loads(line) for line in out.splitlines()]
    assert (code, first["output"], second["output"]) == (1, "c.redacted.mp4", None)
    assert second["error"]["code"] == "output_exists"
    assert "c.redacted.mp4 is the output of c.mp4" in second["error"]["message"]


LARGE_BYTES = 20_000_000


def large_upload(base_url: str) -> dict[str, str]:
    return {"upload_id": "upl_a", "upload_url": f"{base_url}/uploads/upl_a", "expires_at": "2026-11-21T13:37:00Z"}


def at(offset: int) -> Behavior:
    return answer(204, headers={"Upload-Offset": str(offset)})


def test_a_large_file_is_sent_in_parts_that_continue_where_they_broke_off(folder: Path) -> None:
    with (folder / "film.mp4").open("wb") as film:
        film.truncate(LARGE_BYTES)
    part = 16 * 1024 * 1024
    with scripted(drop) as service:
        service.behaviors[:] = [
            answer(201, large_upload(service.base_url)),
            *(at(0), drop, at(0), at(part), at(LARGE_BYTES)),
            *(answer(201, MEDIA), answer(200, COMPLETED), offered("film.redacted.mp4")),
        ]
        code, _, err = run(folder, "redact", "film.mp4", "-c", "heads", "-q", "--folder", "case 17", service=service)
    assert (code, err) == (0, "")
    methods = [request.method for request in service.requests]
    assert methods == ["POST", "HEAD", "PATCH", "HEAD", "PATCH", "PATCH", "POST", "GET", "GET"]
    form = service.requests[6].body.decode()
    assert 'name="upload_id"\r\n\r\nupl_a' in form
    assert 'name="folder"\r\n\r\ncase 17' in form


def test_what_has_arrived_of_a_large_file_that_is_refused_is_deleted(folder: Path) -> None:
    with (folder / "film.mp4").open("wb") as film:
        film.truncate(LARGE_BYTES)
    with scripted(drop) as service:
        refused = error(422, "validation_failed", {"file": ["It is no film."]})
        service.behaviors[:] = [answer(201, large_upload(service.base_url)), at(0), refused, answer(204)]
        code, _, err = run(folder, "redact", "film.mp4", "-c", "heads", service=service)
    assert (code, err.strip()) == (1, "film.mp4: It is no film.")
    assert [request.method for request in service.requests] == ["POST", "HEAD", "PATCH", "DELETE"]


def test_a_file_is_redacted_beside_its_source(folder: Path) -> None:
    with scripted(*REDACTED) as service:
        code, out, err = run(folder, "redact", "in/a.jpg", "-c", "heads,writing", "-q", service=service)
    assert (code, err) == (0, "")
    assert out.startswith("in/a.jpg → in/a.redacted.jpg (")
    assert (folder / "in/a.redacted.jpg").read_bytes() == FILE
    assert b"\r\n\r\nwriting\r\n" in service.requests[0].body


def test_a_folder_keeps_its_folders_and_one_that_fails_stops_no_other(folder: Path) -> None:
    refusal = error(422, "validation_failed", {"file": ["It is empty."]})
    with scripted(refusal, *REDACTED) as service:
        order = ("redact", "in", "-c", "all", "-o", "out", "--json", "-j", "1", "--folder", "case 17")
        code, out, err = run(folder, *order, service=service)
    records = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert err.strip() == "1 of 2 files redacted, 1 failed, 1 skipped."
    assert (records[0]["input"], records[0]["error"]["code"]) == ("in/c.redacted.jpg", "redacted_already")
    assert records[1]["error"] == {"code": "validation_failed", "message": "It is empty."}
    assert (records[2]["output"], records[2]["media_id"]) == ("out/more/b.png", MEDIA_ID)
    assert (folder / "out/more/b.png").read_bytes() == FILE
    assert not (folder / "out/a.jpg").exists()
    assert b'name="folder"\r\n\r\ncase 17\r\n' in service.requests[0].body
    assert b'name="folder"\r\n\r\ncase 17/more\r\n' in service.requests[1].body


def test_other_files_of_a_folder_are_named(folder: Path) -> None:
    (folder / "in" / "notes.psd").write_bytes(b"?")
    with scripted(*REDACTED, *REDACTED) as service:
        code, _, err = run(folder, "redact", "in", "-c", "heads", "-o", "out", "-j", "1", service=service)
    assert code == 4
    assert "in/notes.psd: Skipped." in err
    assert err.endswith("2 of 2 files redacted, 2 skipped.\n")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([], "COMMAND"),
        (["blur"], "invalid choice"),
        (["lst"], "(did you mean list?)"),
        (["redact", "in/a.jpg", "-c", "heads", "--sensitivty", "high"], "--sensitivty (did you mean --sensitivity?)"),
        (["list", "--status", "complete"], "(did you mean completed?)"),
        (["redact", "in/a.jpg"], "--categories"),
        (["redact", "in/a.jpg", "-c", "faces"], "faces given; expected all, or heads"),
        (["redact", "none.jpg", "-c", "heads"], "There is no file or folder none.jpg."),
        (["redact", "in/*.gif", "-c", "heads"], "There is no file or folder in/*.gif."),
        (["redact", "in/a.jpg", "-c", "heads", "-j", "0"], "whole number from 1 to 32"),
        (["redact", "in/a.jpg", "-c", "heads", "-o", "in/a.jpg"], "over the source"),
        (["redact", "in", "-c", "heads", "-o", "in/a.jpg"], "is a file"),
        (["redact", "in", "-c", "heads", "-o", "out.jpg"], "several files need a folder"),
        (["redact", "in/a.jpg", "-c", "heads", "--min-confidence", "heads=2"], "a value from 0 to 1"),
        (["redact", "in/a.jpg", "-c", "heads", "--min-confidence", "signs=.2"], "signs given; expected all, or"),
        (["redact", "in/a.jpg", "-c", "heads", "--min-confidence", "screens=.2"], "names screens, but"),
        (["redact", "in/a.jpg", "-c", "heads", "--region", "10,20,30,40"], "not pixels"),
        (["detect", "in/a.jpg"], "--categories is missing"),
        (["detect", "nothing"], "media ID"),
        (["detect", MEDIA_ID, "--sensitivity", "high"], "has been analyzed already"),
        (["detect", MEDIA_ID, "--only", "heads"], "invalid choice"),
        (["revise", MEDIA_ID], "--output"),
        (["revise", MEDIA_ID, "-o", "x.jpg", "--region", "1,2,3"], "x,y,width,height"),
        (["revise", "..", "-o", "x.jpg"], "media ID"),
        (["delete", MEDIA_ID, "x"], "media ID"),
        (["list", "--status", "done"], "invalid choice"),
    ],
)
def test_a_wrong_command_sends_nothing(folder: Path, args: list[str], sentence: str) -> None:
    with scripted(answer(500)) as service:
        code, out, err = run(folder, *args, service=service)
    assert (code, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err
    assert service.requests == []


def test_without_a_service_it_says_what_to_do(folder: Path) -> None:
    code, _, err = run(folder, "usage")
    assert (code, "npm start" in err) == (2, True)
    code, _, err = run(folder, "usage", "--base-url", "http://veil.example.com", "--api-key", "k")
    assert (code, "https://" in err) == (2, True)


def test_the_local_service_is_found_and_no_other(folder: Path) -> None:
    (folder / ".veil").mkdir()
    description = folder / ".veil" / "service.json"
    usage = {
        "plan": "Free",
        "period_start": "2026-11-01",
        "period_end": "2026-11-30",
        "images": {"used": 3, "limit": None},
        "video_minutes": {"used": 0.5, "limit": 5},
    }
    with scripted(answer(200, usage)) as service:
        description.write_text(json.dumps({"baseUrl": service.base_url, "apiKey": "veil_local"}))
        code, out, err = run(folder / "in", "usage")
    assert (code, service.requests[0].headers["authorization"]) == (0, "Bearer veil_local")
    assert out == (
        "Plan Free, 2026-11-01 to 2026-11-30\nImages: 3 used, no limit\nVideo minutes: 0.5 of 5 used, 4.5 left\n"
    )
    assert f"Using the local service at {service.base_url}" in err
    description.write_text(json.dumps({"baseUrl": "https://evil.example.com", "apiKey": "veil_local"}))
    assert run(folder, "usage")[0] == 2


@pytest.mark.parametrize(
    ("behavior", "exit_code", "sentence"),
    [
        (error(401, "unauthorized"), 3, "It is so."),
        (answer(200, b"<html>", kind="text/html"), 3, "base URL"),
        (error(404, "not_found"), 1, "It is so."),
    ],
)
def test_faults_are_sentences(folder: Path, behavior: Behavior, exit_code: int, sentence: str) -> None:
    with scripted(behavior) as service:
        for args in (["usage"], ["redact", "in/a.jpg", "-c", "heads"], ["detect", MEDIA_ID]):
            code, out, err = run(folder, *args, service=service)
            assert (code, out) == (exit_code, "")
            assert sentence in err
            assert "Traceback" not in err


def test_what_is_there_already_is_kept(folder: Path) -> None:
    (folder / "in" / "a.redacted.jpg").write_bytes(b"mine")
    with scripted(*REDACTED) as service:
        code, _, err = run(folder, "redact", "in/a.jpg", "-c", "heads", service=service)
        assert (code, service.requests) == (1, [])
        assert "--force replaces it" in err
        assert run(folder, "redact", "in/a.jpg", "-c", "heads", "-f", service=service)[0] == 0
    assert (folder / "in" / "a.redacted.jpg").read_bytes() == FILE


def test_names_cannot_command_the_terminal(folder: Path) -> None:
    name = "in/\x1b[2Jevil.jpg"
    (folder / name).write_bytes(b"pixels")
    with scripted(*REDACTED) as service:
        code, out, err = run(folder, "redact", name, "-c", "heads", service=service)
    assert (code, "\x1b" in out + err) == (0, False)


def test_an_interruption_leaves_nothing_half_done(folder: Path) -> None:
    deleted: list[Request] = []

    def route(connection: object, request: Request) -> None:
        if request.method == "POST":
            answer(201, MEDIA)(connection, request)  # type: ignore[arg-type]
        elif request.method == "DELETE":
            deleted.append(request)
            answer(204)(connection, request)  # type: ignore[arg-type]
        elif request.target.endswith("/download"):
            silence(connection, request)  # type: ignore[arg-type]
        else:
            answer(200, COMPLETED)(connection, request)  # type: ignore[arg-type]

    with scripted(route) as service:
        command = [sys.executable, "-m", "veil_redact", "redact", "in/a.jpg", "-c", "heads", "-o", "out.jpg"]
        process = subprocess.Popen(command, cwd=folder, env=environment(service), stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 20
        while not any(request.target.endswith("/download") for request in service.requests):
            assert time.monotonic() < until
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert [request.target for request in deleted] == [f"/api/v1/media/{MEDIA_ID}"]
    assert sorted(path.name for path in folder.iterdir()) == ["in"]


def test_a_media_item_is_corrected_and_deleted(folder: Path) -> None:
    with scripted(*REDACTED) as service:
        args = ["--except", "det_1,det_2", "--region", "0.1,0.2,0.3,0.1@heads", "-o", "out.jpg", "--json"]
        code, out, _ = run(folder, "revise", MEDIA_ID, *args, service=service)
    assert (code, json.loads(out)) == (0, {"revision_of": MEDIA_ID, "media_id": MEDIA_ID, "output": "out.jpg"})
    box = {"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.1}
    assert json.loads(service.requests[0].body) == {
        "except": ["det_1", "det_2"],
        "regions": [{"box": box, "category": "heads"}],
    }
    with scripted(answer(204)) as service:
        assert run(folder, "delete", MEDIA_ID, service=service)[:2] == (0, f"{MEDIA_ID}: deleted\n")


def test_a_file_is_redacted_with_thresholds_regions_and_without_sound(folder: Path) -> None:
    with scripted(*REDACTED) as service:
        args = ["--min-confidence", "heads=0.4", "--region", "0.1,0.2,0.3,0.1:1-2.5", "--audio", "mute"]
        args += ["--mute-range", "3-4.5@tone"]
        code, _, err = run(folder, "redact", "in/a.jpg", "-c", "heads,screens", *args, service=service)
    assert (code, err) == (0, "")
    body = service.requests[0].body
    for sent in (b'{"heads": 0.4}', b'"start_seconds": 1.0, "end_seconds": 2.5', b"mute", b'"sound": "tone"'):
        assert sent in body or sent.replace(b" ", b"") in body


def test_single_media_and_deletions_are_shown(folder: Path) -> None:
    with scripted(answer(200, COMPLETED)) as service:
        code, out, _ = run(folder, "get", MEDIA_ID, service=service)
        assert (code, out) == (0, f"{MEDIA_ID}\tcompleted\t2026-11-20T13:37:00.000Z\tstreet.jpg\n")
    request = {
        "sensitivity": "normal",
        "min_confidence": {"heads": 0.3},
        "regions": [{"box": {"x": 0, "y": 0, "width": 1, "height": 1}}],
        "ignore_regions": [],
        "detect_only": False,
        "audio": "keep",
        "verify": True,
    }
    for threshold, shown in (({"heads": 0.3}, '{"heads":0.3}'), (0.5, "0.5")):
        asked = {**COMPLETED, "failure": None, "request": {**request, "min_confidence": threshold}}
        with scripted(answer(200, asked), answer(200, asked)) as service:
            _, out, _ = run(folder, "get", MEDIA_ID, service=service)
            assert out.endswith(f"\tstreet.jpg\t\tmin_confidence={shown} regions=1\n")
            _, out, _ = run(folder, "get", MEDIA_ID, "--json", service=service)
            assert json.loads(out)["request"]["min_confidence"] == threshold
    labelled = {**COMPLETED, "failure": None, "folder": "case 17", "metadata": {"clerk": "adä"}}
    with scripted(answer(200, labelled)) as service:
        _, out, _ = run(folder, "get", MEDIA_ID, service=service)
        assert out.endswith('\tstreet.jpg\t\tfolder="case 17" metadata={"clerk":"adä"}\n')
        assert service.requests[0].target.endswith("?include=versions%2Cfailure%2Cmetadata%2Crequest")
    at = "2026-11-20T13:37:00.000Z"
    record = {
        "media_id": MEDIA_ID,
        "revision_of": None,
        "media_type": "image",
        "file_name": None,
        "file_name_digest": "0" * 64,
        "file_size_bytes": 3,
        "source_sha256": None,
        "result_sha256": None,
        "uploaded_at": at,
        "version_made_at": None,
        "deleted_at": at,
        "deleted_by": {"type": "api_key", "id": "key_1", "name": "Night run"},
        "request_id": "req_1",
        "objects_left": 0,
        "rows_left": 2,
        "purge_again_at": None,
    }
    with scripted(answer(200, {"checked_at": at, "data": [record], "links": {"next": None}})) as service:
        code, out, _ = run(folder, "deletions", MEDIA_ID, service=service)
        assert service.requests[0].target.endswith(f"/deletions?media_id={MEDIA_ID}")
    assert (code, out) == (
        0,
        f"{MEDIA_ID}\t2 database rows left, such as an undelivered event\t{at}\tNight run\tname not stored\n",
    )


@pytest.mark.parametrize("args", [("get", MEDIA_ID), ("list",)])
def test_json_is_what_the_service_answered(folder: Path, args: tuple[str, ...]) -> None:
    media = {**COMPLETED, "duration_seconds": 3, "failure": None}
    media["versions"] = {"first": MEDIA_ID, "revision_of": None, "superseded_by": None, "current": True, "later": 2}
    pagination = {"page": 1, "per_page": 100, "total": 1, "total_pages": 1}
    page = {"data": [media], "pagination": pagination, "links": {"next": None, "previous": None}}
    with scripted(answer(200, media if args[0] == "get" else page)) as service:
        code, out, _ = run(folder, *args, "--json", service=service)
    assert (code, out) == (0, json.dumps(media, separators=(",", ":")) + "\n")
    assert "metadata" in service.requests[0].target


def test_media_are_listed_until_nobody_listens(folder: Path) -> None:
    pagination = {"page": 1, "per_page": 100, "total": 1, "total_pages": 1}
    page = {"data": [COMPLETED] * 3, "pagination": pagination, "links": {"next": None, "previous": None}}
    with scripted(answer(200, page)) as service:
        code, out, _ = run(folder, "list", "--limit", "2", service=service)
        assert (code, len(out.splitlines())) == (0, 2)
        assert out.startswith(f"{MEDIA_ID}\tcompleted\t2026-11-20T13:37:00.000Z\tstreet.jpg\n")
        piped = f"{sys.executable} -m veil_redact list | true"
        done = subprocess.run(["bash", "-c", piped], env=environment(service), capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_run_that_was_stopped_goes_on_without_the_files_that_are_there(folder: Path) -> None:
    (folder / "in" / "clip.mkv").write_bytes(b"film")
    for name in ("a.redacted.jpg", "clip.redacted.mp4"):
        (folder / "in" / name).write_bytes(b"there")
    with scripted(*REDACTED) as service:
        code, _, err = run(folder, "redact", "in", "-c", "heads", "-q", "--skip-existing", service=service)
        assert (code, "a.jpg: Skipped. Its redacted file exists." in err) == (0, True)
        assert (folder / "in" / "more" / "b.redacted.png").read_bytes() == FILE
        assert (folder / "in" / "clip.redacted.mp4").read_bytes() == b"there"
        code, out, _ = run(folder, "redact", "in/a.jpg", "-c", "heads", "--skip-existing", "--json", service=service)
        assert (code, json.loads(out)["error"]["code"]) == (0, "output_exists")
        code, _, err = run(folder, "redact", "in", "-c", "heads", "--skip-existing", "-f", service=service)
        assert (code, "leave out --force" in err) == (2, True)
        assert len(service.requests) == len(REDACTED)


def test_a_redacted_file_is_fetched_later(folder: Path) -> None:
    fetched = [answer(200, COMPLETED), answer(200, FILE, kind="image/jpeg")]
    with scripted(*fetched, *fetched, *fetched) as service:
        code, out, _ = run(folder, "download", MEDIA_ID, "--json", service=service)
        written = json.loads(out)["output"]
        assert (code, (folder / written).read_bytes(), ".redacted." in written) == (0, FILE, True)
        assert run(folder, "download", MEDIA_ID, "-o", "mine.jpg", service=service)[0] == 0
        code, _, err = run(folder, "download", MEDIA_ID, "-o", "mine.jpg", service=service)
        assert (code, "mine.jpg already exists" in err) == (1, True)
        assert run(folder, "download", MEDIA_ID, "-o", "mine.jpg", "-f", service=service)[0] == 0
    assert run(folder, "download", "one")[0] == 2

"""A service whose answers a test scripts, down to single bytes."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias

MEDIA_ID = "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10"

MEDIA: dict[str, object] = {
    "id": MEDIA_ID,
    "status": "queued",
    "filename": "street.jpg",
    "media_type": "image",
    "categories": ["heads"],
    "redaction_method": "blur",
    "file_size_bytes": 5,
    "duration_seconds": None,
    "created_at": "2026-11-20T13:37:00.000Z",
    "processed_at": None,
    "failed_at": None,
}
COMPLETED: dict[str, object] = {
    **MEDIA,
    "status": "completed",
    "processed_at": "2026-11-20T13:37:01.000Z",
    "download_url": f"https://veil.example.com/api/v1/media/{MEDIA_ID}/download",
}


@dataclass
class Request:
    """A received request."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    at: float


Behavior: TypeAlias = Callable[[socket.socket, Request], None]


@dataclass
class ScriptedService:
    """Uses one behavior per request. The last one repeats."""

    behaviors: list[Behavior]
    port: int
    requests: list[Request] = field(default_factory=list)
    reads_bodies: bool = True

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/v1"


def answer(
    status: int, body: object = b"", headers: Mapping[str, str] | None = None, *, kind: str = "application/json"
) -> Behavior:
    """A whole answer. Values other than bytes are sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def behave(connection: socket.socket, _request: Request) -> None:
        all_headers = {"Content-Type": kind, "Content-Length": str(len(content)), **(headers or {})}
        lines = "".join(f"{name}: {value}\r\n" for name, value in all_headers.items())
        connection.sendall(f"HTTP/1.1 {status} Something\r\n{lines}Connection: close\r\n\r\n".encode() + content)

    return behave


def error(status: int, code: str, details: object = None, headers: Mapping[str, str] | None = None) -> Behavior:
    """An error of the service."""
    body = {"error": {"code": code, "message": "It is so.", "details": details or {}}, "request_id": "req_1"}
    return answer(status, body, headers)


def raw(content: bytes) -> Behavior:
    """Exactly these bytes, then the end."""
    return lambda connection, _request: connection.sendall(content)


def drop(_connection: socket.socket, _request: Request) -> None:
    """No answer at all."""


def silence(connection: socket.socket, _request: Request) -> None:
    """No answer for a long time."""
    connection.settimeout(10)
    with suppress(OSError):
        connection.recv(1)


def drip(head: bytes, piece: bytes, seconds: float, times: int) -> Behavior:
    """A piece every so often."""

    def behave(connection: socket.socket, _request: Request) -> None:
        connection.sendall(head)
        for _ in range(times):
            time.sleep(seconds)
            connection.sendall(piece)

    return behave


@contextmanager
def scripted(*behaviors: Behavior, reads_bodies: bool = True) -> Iterator[ScriptedService]:
    """Runs a service on this machine."""
    listener = socket.create_server(("127.0.0.1", 0))
    service = ScriptedService(list(behaviors), listener.getsockname()[1], reads_bodies=reads_bodies)
    threads: list[threading.Thread] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=_handle, args=(service, connection), daemon=True)
            threads.append(thread)
            thread.start()

    accepting = threading.Thread(target=serve, daemon=True)
    accepting.start()
    try:
        yield service
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _handle(service: ScriptedService, connection: socket.socket) -> None:
    with connection, suppress(OSError):
        head, rest = _head_of(connection)
        if head == b"":
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0")) if service.reads_bodies else 0
        request = Request(method, target, headers, rest, time.monotonic())
        service.requests.append(request)
        behavior = service.behaviors[0] if len(service.behaviors) == 1 else service.behaviors.pop(0)
        body = bytearray(rest)
        while len(body) < length:
            piece = connection.recv(65_536)
            if piece == b"":
                return
            # Large bodies are not stored, because that would distort memory measurements.
            if length < 1_000_000:
                body += piece
            else:
                length -= len(piece)
        request.body = bytes(body)
        behavior(connection, request)


def _head_of(connection: socket.socket) -> tuple[bytes, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65_536)
        if piece == b"":
            return b"", b""
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest

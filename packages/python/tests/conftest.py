"""What all tests share."""

from __future__ import annotations

import pytest

from tests.scripted_service import ScriptedService
from veil_redact import AsyncClient, Client, RetryPolicy

KEY = "veil_test"
FAST = RetryPolicy(first_delay_seconds=0.01, longest_delay_seconds=2)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Removes the service's variables from the environment of tests that need no service."""
    if request.node.get_closest_marker("service") is None:
        for name in ("VEIL_API_KEY", "VEIL_BASE_URL", "VEIL_DIR"):
            monkeypatch.delenv(name, raising=False)


def client_of(service: ScriptedService, *, timeout: float = 5, retries: int = 5) -> Client:
    """A client with short timeouts and delays."""
    policy = RetryPolicy(retries=retries, first_delay_seconds=0.01, longest_delay_seconds=2)
    return Client(KEY, service.base_url, timeout=timeout, retry=policy)


def async_client_of(service: ScriptedService, *, timeout: float = 5) -> AsyncClient:
    """A client with short timeouts and delays."""
    return AsyncClient(KEY, service.base_url, timeout=timeout, retry=FAST)

"""The connections of a client."""

from __future__ import annotations

from types import TracebackType
from urllib.parse import urlsplit

import httpx
from typing_extensions import Self

from veil_redact._async.transport import AsyncTransport
from veil_redact._retry import RetryPolicy
from veil_redact._settings import api_key_of, base_url_of, is_this_machine
from veil_redact.errors import InvalidArgumentError


class AsyncConnection:
    """Connections to the service, which must be closed."""

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = 60,
        retry: RetryPolicy | None = None,
        allow_http: bool = False,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        url = base_url_of(base_url, allow_http=allow_http)
        key = api_key_of(api_key)
        if not timeout > 0:
            raise InvalidArgumentError(f"The timeout is {timeout!r}; expected seconds above 0.")
        self._owns_http_client = http_client is None
        # A proxy from the environment is only for other machines.
        is_local = is_this_machine(urlsplit(url).hostname)
        self._http_client = http_client or httpx.AsyncClient(trust_env=not is_local)
        self._transport = AsyncTransport(
            base_url=url,
            api_key=key,
            timeout=timeout,
            retry=retry or RetryPolicy(),
            http_client=self._http_client,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._transport.base_url!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes all connections. `async with AsyncClient() as veil:` does so automatically."""
        if self._owns_http_client:
            await self._http_client.aclose()

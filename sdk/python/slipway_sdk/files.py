"""Files that are downloaded."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Iterator, Mapping

_CHUNK = 64 << 10


class Download:
    """A file of the server, which is read as a stream. Close it, or use it in a with statement."""

    def __init__(self, response: Any, close: Any) -> None:
        self._response = response
        self._close = close
        self.headers: Mapping[str, str] = response.headers

    def read(self, size: int = -1) -> bytes:
        """Reads a number of bytes, or all of them."""
        return self._response.read() if size < 0 else self._response.read1(size)

    def __iter__(self) -> Iterator[bytes]:
        while True:
            part = self._response.read1(_CHUNK)
            if not part:
                return
            yield part

    def close(self) -> None:
        self._close()

    def __enter__(self) -> Download:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncDownload:
    """A file of the server, which is read as a stream. Close it, or use it in an async with statement."""

    def __init__(self, download: Download) -> None:
        self._download = download
        self.headers = download.headers

    async def read(self, size: int = -1) -> bytes:
        """Reads a number of bytes, or all of them."""
        return await asyncio.to_thread(self._download.read, size)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            part = await self.read(_CHUNK)
            if not part:
                return
            yield part

    async def close(self) -> None:
        await asyncio.to_thread(self._download.close)

    async def __aenter__(self) -> AsyncDownload:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

"""Sends requests: credentials, retries, time limits, and the pages that a client keeps."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import random
import re
import ssl
import threading
import time
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import IO, Any, Callable, Dict, List, Mapping, Optional, Tuple, Union
from urllib.parse import quote, urlencode, urlsplit

from .errors import ConnectionError, SlipwayError, to_error
from .files import AsyncDownload, Download
from .pages import AsyncPager, Page, Pager, Query, to_page
from .types_gen import VERSION

# An API key or a session token, a function that returns one, such as OAuth.token, or None for requests
# without a key.
Credential = Union[str, Callable[[], str], None]

# The longest Retry-After to wait for, in seconds.
_MAX_WAIT = 60
# The limits of the pages that a client keeps.
_MAX_PAGES = 32
_MAX_PAGE_SIZE = 256 << 10
# How many connections stay open for the next requests.
_MAX_IDLE = 8


@dataclass
class Options:
    """Options of one request."""

    # A UUID that names a write. If you send it again within 24 hours, even from another process, nothing
    # changes and you get the first response. Defaults to a new one, which retries share.
    idempotency_key: Optional[str] = None
    # Fails a write with the code conflict unless the resource is at this version.
    if_version: Optional[int] = None
    # Token of a two-factor verification.
    mfa_token: Optional[str] = None
    # Seconds to wait for a response, for each attempt. 0 means no limit.
    timeout: Optional[float] = None
    # Headers to send.
    headers: Mapping[str, str] = field(default_factory=dict)
    # Called with the status and the headers of the response, such as Request-Id.
    on_response: Optional[Callable[[int, Mapping[str, str]], None]] = None


@dataclass
class File:
    """A file to upload. A stream that can't be read again is not sent again if an attempt fails."""

    content: Union[bytes, IO[bytes]]
    content_type: str = "application/octet-stream"


Upload = Union[File, bytes, IO[bytes]]


@dataclass
class RequestInfo:
    """Describes an attempt, without the body and the credential."""

    method: str
    path: str
    # Starts at 1.
    attempt: int
    idempotency_key: Optional[str]


@dataclass
class ResponseInfo:
    """Describes how an attempt ended."""

    request: RequestInfo
    # HTTP status, 0 if there was no response.
    status: int
    # Include it when you contact support.
    request_id: str
    seconds: float
    # None if the attempt succeeded.
    error: Optional[BaseException]


@dataclass
class Call:
    """A call of an operation."""

    method: str
    path: str
    query: Optional[Query] = None
    body: Any = None
    form: Optional[Mapping[str, str]] = None
    file: Optional[Upload] = None
    accept: Optional[str] = None
    # The response is a page, which is kept.
    page: bool = False
    # The caller reads the response.
    stream: bool = False
    options: Optional[Options] = None


class _CredentialError(Exception):
    pass


class Sender:
    """Sends the requests of a client."""

    def __init__(
        self,
        base_url: str,
        key: Credential,
        *,
        max_retries: int = 3,
        timeout: float = 60,
        headers: Optional[Mapping[str, str]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        on_request: Optional[Callable[[RequestInfo], None]] = None,
        on_response: Optional[Callable[[ResponseInfo], None]] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """max_retries is how often a request is sent again at most. timeout is how many seconds to wait for
        a response, for each attempt. Uploads have no time limit unless the request sets one, and downloads
        must start within the limit. on_request and on_response are called for each attempt, for logs and
        traces.
        """
        if key == "":
            raise ValueError("The API key is missing. Is SLIPWAY_KEY set?")
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{base_url!r} is not the URL of a server, such as https://slipway.example.com.")
        self._https, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._base = parts.path.rstrip("/")
        self._key = key
        self._max_retries = max_retries
        self._timeout = timeout
        self._headers = dict(headers or {})
        self._ssl = ssl_context
        self._on_request = on_request
        self._on_response = on_response
        self._sleep = sleep
        self._lock = threading.Lock()
        self._idle: List[http.client.HTTPConnection] = []
        self._pages: OrderedDict[str, Tuple[str, bytes]] = OrderedDict()

    def send(self, call: Call) -> Any:
        """Sends a request until it succeeds or fails permanently."""
        headers, url = self._prepare(call), self._base + call.path + _search(call.query)
        number = 0
        while True:
            number += 1
            try:
                return self._attempt(call, url, headers, number)
            except _CredentialError as e:  # it was already retried
                raise e.__cause__ from None  # type: ignore[misc]
            except (SlipwayError, ConnectionError) as e:
                seconds = getattr(e, "retry_after", 0) or _backoff(number)
                if number > self._max_retries or not _is_temporary(e) or seconds > _MAX_WAIT or not _rewind(call.file):
                    raise
            self._sleep(seconds)

    def _prepare(self, call: Call) -> Dict[str, str]:
        options = call.options or Options()
        headers = {"Service-Version": VERSION, "User-Agent": "slipway-python/" + VERSION, **self._headers}
        if call.accept:
            headers["Accept"] = call.accept
        if call.method not in ("GET", "DELETE") and call.form is None:
            headers["Idempotency-Key"] = options.idempotency_key or str(uuid.uuid4())
        if call.form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        elif call.body is not None:
            headers["Content-Type"] = "application/json"
        elif call.file is not None:
            headers["Content-Type"] = _to_file(call.file).content_type
        if options.if_version is not None:
            headers["If-Match"] = f'"{options.if_version}"'
        if options.mfa_token:
            headers["MFA-Token"] = options.mfa_token
        return {**headers, **options.headers}

    def _attempt(self, call: Call, url: str, headers: Dict[str, str], number: int) -> Any:
        token = self._token()
        if token:
            headers["Authorization"] = "Bearer " + token
        info = RequestInfo(call.method, call.path, number, headers.get("Idempotency-Key"))
        if self._on_request:
            self._on_request(info)
        start, status, request_id, error = time.monotonic(), 0, "", None
        kept = self._pages.get(url) if call.page else None
        try:
            connection, response = self._exchange(call, url, {**headers, "If-None-Match": kept[0]} if kept else headers)
            status, request_id = response.status, response.headers.get("Request-Id") or ""
            result = self._read(call, url, kept, connection, response)
        except BaseException as e:
            error = e
            raise
        finally:
            if self._on_response:
                self._on_response(ResponseInfo(info, status, request_id, time.monotonic() - start, error))
        if call.options and call.options.on_response:
            call.options.on_response(status, response.headers)
        return result

    def _token(self) -> Optional[str]:
        if not callable(self._key):
            return self._key
        try:
            return self._key()
        except Exception as e:
            raise _CredentialError from e

    def _exchange(self, call: Call, url: str, headers: Dict[str, str]) -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Sends a request once. A server can close a connection that was idle, so the request is then sent
        on a new one. That is safe: a write has an Idempotency-Key.
        """
        body: Any = None
        if call.form is not None:
            body = urlencode(call.form).encode()
        elif call.body is not None:
            body = json.dumps(call.body).encode()
        elif call.file is not None:
            body = _to_file(call.file).content
        timeout = 0.0 if call.file is not None else self._timeout
        if call.options and call.options.timeout is not None:
            timeout = call.options.timeout

        while True:
            connection, used = self._connection()
            try:
                connection.timeout = timeout or None
                if connection.sock is None:
                    connection.connect()
                connection.sock.settimeout(timeout or None)
                chunked = call.file is not None and not isinstance(body, bytes)
                send = {**headers, "Transfer-Encoding": "chunked"} if chunked else headers
                connection.request(call.method, url, body=body, headers=send, encode_chunked=chunked)
                return connection, connection.getresponse()
            except (OSError, http.client.HTTPException) as e:
                connection.close()
                if used and isinstance(e, (ConnectionResetError, BrokenPipeError)) and _rewind(call.file):
                    continue
                raise ConnectionError(f"{call.method} {call.path}: {e or type(e).__name__}") from e

    def _read(self, call: Call, url: str, kept: Optional[Tuple[str, bytes]], connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> Any:
        if call.stream and response.status < 300:
            return Download(response, connection.close)
        try:
            text = response.read()
        except (OSError, http.client.HTTPException) as e:
            connection.close()
            raise ConnectionError(f"{call.method} {call.path}: {e or type(e).__name__}") from e
        self._keep_connection(connection, response)

        if response.status == 304 and kept:
            text = kept[1]
        elif response.status >= 300:
            raise to_error(response.status, response.headers, text)
        elif call.page:
            self._keep_page(url, response.headers.get("ETag"), text)
        if not text:
            return None
        try:
            return json.loads(text)
        except ValueError:
            raise to_error(response.status, response.headers, text) from None

    def _connection(self) -> Tuple[http.client.HTTPConnection, bool]:
        """Returns an idle connection, or a new one."""
        with self._lock:
            if self._idle:
                return self._idle.pop(), True
        if self._https:
            return http.client.HTTPSConnection(self._host, self._port, context=self._ssl), False
        return http.client.HTTPConnection(self._host, self._port), False

    def _keep_connection(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        with self._lock:
            if not response.will_close and len(self._idle) < _MAX_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def _keep_page(self, url: str, tag: Optional[str], text: bytes) -> None:
        if not tag or len(text) > _MAX_PAGE_SIZE:
            return
        with self._lock:
            self._pages[url] = (tag, text)
            self._pages.move_to_end(url)
            if len(self._pages) > _MAX_PAGES:
                self._pages.popitem(last=False)


class Family:
    """A group of operations."""

    prefix = "/v1"

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def _send(self, method: str, path: str, **rest: Any) -> Any:
        return self._sender.send(Call(method, self.prefix + path, **rest))

    def _list(self, path: str, query: Optional[Query] = None, options: Optional[Options] = None) -> Pager[Any]:
        def load(q: Query) -> Page[Any]:
            return to_page(self._send("GET", path, query=q, options=options, page=True))

        return Pager(query or {}, load)

    def _download(self, path: str, **rest: Any) -> Download:
        return self._send("GET", path, stream=True, **rest)


class AsyncSender:
    """Sends requests in threads, so that the loop can continue."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    async def send(self, call: Call) -> Any:
        return await asyncio.to_thread(self._sender.send, call)


class AsyncFamily:
    """A group of operations for asyncio."""

    prefix = "/v1"

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def _send(self, method: str, path: str, **rest: Any) -> Any:
        return await self._sender.send(Call(method, self.prefix + path, **rest))

    def _list(self, path: str, query: Optional[Query] = None, options: Optional[Options] = None) -> AsyncPager[Any]:
        async def load(q: Query) -> Page[Any]:
            return to_page(await self._send("GET", path, query=q, options=options, page=True))

        return AsyncPager(query or {}, load)

    async def _download(self, path: str, **rest: Any) -> AsyncDownload:
        return AsyncDownload(await self._send("GET", path, stream=True, **rest))


def fill(path: str, *ids: str) -> str:
    """Fills IDs into a path. An empty ID would address another resource."""
    for value in ids:
        if not value or re.fullmatch(r"\.+", value):
            raise ValueError(f"{value!r} is not an ID.")
    return path.format(*(quote(value, safe="") for value in ids))


def _search(query: Optional[Query]) -> str:
    """Returns the parameters that are set."""
    text = urlencode({name: _text(value) for name, value in (query or {}).items() if value is not None and value != ""})
    return "?" + text if text else ""


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return str(value)


def _to_file(file: Upload) -> File:
    return file if isinstance(file, File) else File(file)


def _rewind(file: Optional[Upload]) -> bool:
    """Prepares a file for the next attempt. It returns False if it can't be read again."""
    content = None if file is None else _to_file(file).content
    if content is None or isinstance(content, bytes):
        return True
    try:
        content.seek(0)
    except (OSError, AttributeError, io.UnsupportedOperation):
        return False
    return True


def _backoff(attempt: int) -> float:
    """Between half and all of 0.5, 1, 2, 4 and 8 seconds."""
    return float(min(8, 2 ** (attempt - 2)) * (0.5 + random.random() / 2))


def _is_temporary(error: Exception) -> bool:
    if not isinstance(error, SlipwayError):
        return True
    return error.status == 429 or error.status >= 500 or (error.status == 409 and error.retry_after > 0)

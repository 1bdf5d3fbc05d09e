"""A server that answers each request with the next step, for tests."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from slipway_sdk import Slipway


class Received(NamedTuple):
    method: str
    url: str
    headers: Dict[str, str]
    body: bytes


Step = Callable[[BaseHTTPRequestHandler], None]


class Script:
    """A client that doesn't wait. It records how long it would have waited."""

    def __init__(self, *steps: Step, **options: Any) -> None:
        self.requests: List[Received] = []
        self.waits: List[float] = []
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                length = self.headers.get("Content-Length")
                body = self.rfile.read(int(length)) if length else self.chunks()
                script.requests.append(Received(self.command, self.path, dict(self.headers.items()), body))
                if len(script.requests) > len(steps):
                    reply(418, "{}")(self)
                    return
                steps[len(script.requests) - 1](self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_one

            def chunks(self) -> bytes:
                body = b""
                while self.headers.get("Transfer-Encoding") == "chunked":
                    size = int(self.rfile.readline(), 16)
                    body += self.rfile.read(size)
                    self.rfile.readline()
                    if size == 0:
                        break
                return body

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.slipway = Slipway(self.url + "/", options.pop("key", "sk_test_1"), sleep=self.waits.append, **options)

    def keys(self) -> List[Optional[str]]:
        """The idempotency keys that were sent, without repetitions."""
        return list(dict.fromkeys(r.headers.get("Idempotency-Key") for r in self.requests))

    def __enter__(self) -> Script:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def reply(status: int, body: str, **headers: str) -> Step:
    def step(r: BaseHTTPRequestHandler) -> None:
        r.send_response(status)
        for name, value in {"Request-Id": "req_1", "Content-Length": str(len(body.encode())), **headers}.items():
            r.send_header(name.replace("_", "-"), value)
        r.end_headers()
        r.wfile.write(body.encode())

    return step


def fails(status: int, code: str, **headers: str) -> Step:
    """An error in the format of the API."""
    details = [{"field": "title", "code": "too_long", "message": "is too long"}]
    return reply(status, json.dumps({"error": {"status": status, "code": code, "message": "No.", "request_id": "req_1", "details": details}}), **headers)


def drops(r: BaseHTTPRequestHandler) -> None:
    """Closes the connection after the headers and a part of the body."""
    r.send_response(200)
    r.send_header("Content-Length", "100")
    r.end_headers()
    r.wfile.write(b'{"id": "con_1"')
    vanishes(r)


def vanishes(r: BaseHTTPRequestHandler) -> None:
    """Closes the connection without a response."""
    r.wfile.flush()
    r.connection.shutdown(socket.SHUT_RDWR)
    r.close_connection = True


ok = reply(200, '{"id": "con_1"}')


def page(ids: List[str], following: Optional[str], **headers: str) -> Step:
    body = {"data": [{"id": i} for i in ids], "has_more": following is not None, "next_cursor": following, "prev_cursor": ids[0]}
    return reply(200, json.dumps(body), **headers)

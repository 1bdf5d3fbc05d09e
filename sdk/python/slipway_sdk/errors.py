"""Errors of requests."""

from __future__ import annotations

import email.utils
import json
import time
from typing import Any, Dict, List, Mapping, Optional, TypedDict


class Detail(TypedDict):
    """One invalid field, parameter or header."""

    # Dotted path, such as engines[0].hp.
    field: str
    code: str
    # Completes a sentence that starts with the field.
    message: str


class SlipwayError(Exception):
    """An error response of the server."""

    def __init__(self, status: int, headers: Mapping[str, str], body: Dict[str, Any]) -> None:
        super().__init__(body["message"])
        # HTTP status.
        self.status = status
        # Kind of the error, such as conflict. Errors of the token endpoint have the codes of OAuth.
        self.code: str = body["code"]
        self.message: str = body["message"]
        # Include it when you contact support.
        self.request_id: str = body.get("request_id") or headers.get("Request-Id") or ""
        # Every field, parameter or state that caused the error.
        self.details: List[Detail] = body.get("details") or []
        # Explains the error and what to do.
        self.doc_url: str = body.get("doc_url") or ""
        # Seconds after which to send the request again, 0 if the server didn't say.
        self.retry_after = _retry_after(headers.get("Retry-After"))

    def field(self, name: str) -> Optional[str]:
        """Returns what is wrong with a field."""
        return next((d["message"] for d in self.details if d["field"] == name), None)

    def __str__(self) -> str:
        request = f", {self.request_id}" if self.request_id else ""
        return f"{self.message} ({self.status} {self.code}{request})"


class ConnectionError(Exception):  # noqa: A001 - the name that the other SDKs have
    """There was no complete response. __cause__ is the reason."""


class SignatureError(Exception):
    """The message wasn't signed with the secret, or too long ago."""


def to_error(status: int, headers: Mapping[str, str], text: bytes) -> SlipwayError:
    """Returns the error of a response. A response of something else, such as the page of a proxy,
    becomes server_error with the status.
    """
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, str):  # of the token endpoint
        error = {"code": error, "message": body.get("error_description") or error}
    if not isinstance(error, dict) or not error.get("code"):
        error = {"code": "server_error", "message": f"The response is not from Slipway: {status}"}
    return SlipwayError(status, headers, error)


def _retry_after(value: Optional[str]) -> float:
    """Parses seconds or a date."""
    if not value:
        return 0
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0

"""Messages that webhooks receive."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING, Mapping, Optional, Union, cast

from .errors import SignatureError

if TYPE_CHECKING:
    from .types_gen import Event

# How old a message can be, in seconds, so that a recorded message can't be sent again.
_TOLERANCE = 5 * 60


def parse_webhook(body: Union[bytes, str], headers: Mapping[str, str], secret: str, now: Optional[float] = None) -> Event:
    """Verifies the signature of a message that your webhook received, and returns its event.

    The body must be what was received, not parsed and encoded again. The secret starts with whsec_.
    An event of a type that this SDK doesn't know is returned as it is.
    """
    if isinstance(body, str):
        body = body.encode()
    _verify(body, {name.lower(): value for name, value in headers.items()}, secret, time.time() if now is None else now)
    return cast("Event", json.loads(body))


def _verify(body: bytes, headers: Mapping[str, str], secret: str, now: float) -> None:
    """Implements https://www.standardwebhooks.com."""
    key = _from_base64(secret[len("whsec_"):] if secret.startswith("whsec_") else secret)
    if not key:
        raise ValueError("The webhook secret must be whsec_ and base64.")
    message, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message or not (timestamp.isascii() and timestamp.isdigit()) or abs(now - int(timestamp)) > _TOLERANCE:
        raise SignatureError("The webhook message is too old, or its headers are missing.")

    want = hmac.new(key, f"{message}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    for part in headers.get("webhook-signature", "").split(" "):  # one for each active secret
        if part.startswith("v1,") and hmac.compare_digest(_from_base64(part[3:]), want):
            return
    raise SignatureError("Invalid webhook signature.")


def _from_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""

"""The credential of an app."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional

from .client import Call, Sender


@dataclass(frozen=True)
class Tokens:
    """An access token and what replaces it."""

    access_token: str
    # Seconds since 1970.
    expires_at: float
    refresh_token: Optional[str] = None


# How many seconds before its expiration an access token is replaced.
_EARLY = 60


class OAuth:
    """The credential of an app that a dealership installed: Slipway(base_url, oauth.token).

    It gets a new access token shortly before the old one expires. Requests that wait for it share one
    refresh. save stores new tokens, before the first request uses them. A refresh token works only once,
    so without this, the app must be allowed again after a restart. Without a refresh token, the app gets
    tokens with its secret, for the install in install_id.
    """

    def __init__(
        self,
        token_url: str,
        client_id: str,
        client_secret: Optional[str] = None,
        *,
        install_id: Optional[str] = None,
        tokens: Optional[Tokens] = None,
        save: Optional[Callable[[Tokens], None]] = None,
        **options: Any,
    ) -> None:
        self._sender = Sender(token_url, None, **options)
        self._client = {"client_id": client_id, **({"client_secret": client_secret} if client_secret else {})}
        self._install_id = install_id
        self._tokens = tokens
        self._save = save
        self._lock = threading.Lock()

    def token(self) -> str:
        """Returns an access token that is valid."""
        with self._lock:
            if self._tokens is None or time.time() + _EARLY >= self._tokens.expires_at:
                self._replace()
            assert self._tokens
            return self._tokens.access_token

    def _replace(self) -> None:
        refresh = self._tokens.refresh_token if self._tokens else None
        form: Dict[str, str] = {**self._client, "grant_type": "refresh_token" if refresh else "client_credentials"}
        if refresh:
            form["refresh_token"] = refresh
        elif self._install_id:
            form["install_id"] = self._install_id
        start = time.time()
        body = self._sender.send(Call("POST", "", form=form))
        # Also if they can't be stored, because the old ones don't work anymore.
        self._tokens = Tokens(body["access_token"], start + body["expires_in"], body.get("refresh_token") or refresh)
        if self._save:
            self._save(self._tokens)

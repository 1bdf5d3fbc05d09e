"""A client of the Slipway API.

    slipway = Slipway("https://slipway.example.com", os.environ["SLIPWAY_KEY"])
    for h in slipway.hulls.list(make="Grady-White", status="available"):
        print(h["year"], h["model"], h["price_usd"])
"""

from __future__ import annotations

from typing import Any

from .async_services_gen import AsyncServices
from .client import AsyncSender, Credential, File, Options, RequestInfo, ResponseInfo, Sender
from .errors import ConnectionError, SignatureError, SlipwayError
from .files import AsyncDownload, Download
from .oauth import OAuth, Tokens
from .pages import AsyncPager, Page, Pager
from .services_gen import Services
from .types_gen import VERSION
from .webhook import parse_webhook

__all__ = [
    "VERSION", "AsyncDownload", "AsyncPager", "AsyncSlipway", "ConnectionError", "Download", "File", "OAuth", "Options", "Page", "Pager",
    "RequestInfo", "ResponseInfo", "SignatureError", "Slipway", "SlipwayError", "Tokens", "parse_webhook",
]


class Slipway(Services):
    """A client of a Slipway server. It calls one environment of a dealership: the one its key belongs to.

    Threads can share it. The options are those of Sender.
    """

    def __init__(self, base_url: str, key: Credential, **options: Any) -> None:
        super().__init__(Sender(base_url, key, **options))


class AsyncSlipway(AsyncServices):
    """The same client for asyncio. Requests run in the threads of asyncio.to_thread.

        slipway = AsyncSlipway("https://slipway.example.com", os.environ["SLIPWAY_KEY"])
        async for h in slipway.hulls.list(make="Grady-White"):
            print(h["model"])
    """

    def __init__(self, base_url: str, key: Credential, **options: Any) -> None:
        super().__init__(AsyncSender(Sender(base_url, key, **options)))

"""Receives an event. The server must be able to reach this machine: for a server on the same machine, set
SLIPWAY_ALLOW_PRIVATE_WEBHOOKS.
"""

import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from slipway_sdk import SignatureError, Slipway, parse_webhook

slipway = Slipway(os.environ["SLIPWAY_URL"], os.environ["SLIPWAY_KEY"])
secret = ""
done = threading.Event()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = parse_webhook(body, self.headers, secret)  # verifies the signature and the time
        except SignatureError:
            self.send_error(400)
            return
        self.send_response(204)  # respond first, then work
        self.end_headers()
        if event["type"] == "hull.price_changed":  # narrows event["data"]["object"]
            boat, previous = event["data"]["object"], event["data"]["previous"]
            print(f"{event['type']}: {boat['model']} from {previous['price_usd']} to {boat['price_usd']}")
        done.set()

    def log_message(self, *_: object) -> None:
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
webhook = slipway.webhooks.create({"url": f"http://127.0.0.1:{server.server_port}", "events": ["hull.price_changed"]})
secret = webhook["secret"]
for h in slipway.hulls.list(limit=1).page().data:
    slipway.hulls.adjust_pricing(h["id"], {"price_usd": 67500, "reason": "Winter sale"})
done.wait(60)
slipway.webhooks.delete(webhook["id"])

"""Receives events with Python 3.9 or newer, and nothing else.

    SECRET=whsec_... python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environ["SECRET"]
key = base64.b64decode(secret[len("whsec_"):] if secret.startswith("whsec_") else secret)
seen = set()  # a real receiver stores these IDs with what it did


def is_genuine(headers, body):
    """Verifies a message as https://www.standardwebhooks.com describes."""
    message, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message or not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    want = base64.b64encode(hmac.new(key, f"{message}.{timestamp}.".encode() + body, hashlib.sha256).digest())
    parts = headers.get("webhook-signature", "").split(" ")  # one for each active secret
    return any(hmac.compare_digest(part.encode(), b"v1," + want) for part in parts)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))  # the bytes as they were received
        genuine = is_genuine(self.headers, body)
        self.send_response(204 if genuine else 400)  # respond first, then work
        self.end_headers()
        if not genuine:
            return
        event = json.loads(body)
        if event["id"] in seen:  # a message can come twice
            return
        seen.add(event["id"])
        print(event["type"], event["data"]["object"].get("id"), flush=True)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()

"""Shows your boats on your website: a page, and a script that other pages can embed.

    SLIPWAY_KEY=sk_test_... python3 examples/website-inventory/server.py
    open http://127.0.0.1:4010

The key stays on this server and needs only the scope hulls:read. Visitors never wait for Slipway: they get
the last list, which a thread reads again each minute.
"""

import html
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from slipway_sdk import ConnectionError, Slipway, SlipwayError

slipway = Slipway(os.environ.get("SLIPWAY_BASE_URL", "http://127.0.0.1:8080"), os.environ["SLIPWAY_KEY"])
boats = []


def read_boats():
    """Reads what visitors can see. Without a change, the server sends no body: see ETag in the guide."""
    global boats
    boats = [
        {
            "id": h["id"], "name": h["title"] or f"{h['year']} {h['make']} {h['model']}", "price_usd": h["price_usd"],
            "length_ft": h["length_ft"], "picture": h["primary_photo_url"], "condition": h["condition"],
        }
        for h in slipway.hulls.list(status="available")
    ]


def keep_reading():
    while True:
        time.sleep(60)
        try:
            read_boats()
        except (SlipwayError, ConnectionError) as e:
            print("The old list stays:", e, flush=True)


def page():
    cards = "".join(
        f"<li><b>{html.escape(b['name'])}</b> {b['length_ft']:g} ft, {b['condition']}, ${b['price_usd']:,}</li>" if b["price_usd"]
        else f"<li><b>{html.escape(b['name'])}</b> {b['length_ft']:g} ft, {b['condition']}, call for the price</li>"
        for b in boats
    )
    return f"<!doctype html><title>Boats for sale</title><h1>{len(boats)} boats for sale</h1><ul>{cards}</ul>"


# Any page shows the list with <div id="slipway-boats"></div><script src="https://your-site/boats.js"></script>
EMBED = """
for (const b of %s) {
  const item = document.createElement("p");
  item.textContent = `${b.name}: ${b.price_usd ? "$" + b.price_usd.toLocaleString("en-US") : "call for the price"}`;
  document.getElementById("slipway-boats").append(item);
}
"""


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        kind, text = {
            "/": ("text/html", page),
            "/boats.json": ("application/json", lambda: json.dumps(boats)),
            "/boats.js": ("text/javascript", lambda: EMBED % json.dumps(boats).replace("<", "\\u003c")),
        }.get(self.path, ("", None))
        self.send_response(200 if text else 404)
        self.send_header("Content-Type", kind + "; charset=utf-8")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(text().encode() if text else b"")

    def log_message(self, *_):
        pass


read_boats()
print(f"{len(boats)} boats", flush=True)
threading.Thread(target=keep_reading, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 4010))), Site).serve_forever()

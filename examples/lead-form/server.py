"""A form for inquiries on your website, with consent to text messages.

    SLIPWAY_KEY=sk_test_... python3 examples/lead-form/server.py
    open http://127.0.0.1:4020/?boat=BW-1021

The key stays on this server and needs the scopes hulls:read and leads:write.
"""

import html
import os
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from slipway_sdk import ConnectionError, Options, Slipway, SlipwayError

slipway = Slipway(os.environ.get("SLIPWAY_BASE_URL", "http://127.0.0.1:8080"), os.environ["SLIPWAY_KEY"], max_retries=1)

# The law requires the exact text that the person agreed to. Change the version with the text.
CONSENT = "I agree to receive marketing text messages from Chesapeake Marine. Consent is not a condition of purchase. Reply STOP to stop."
CONSENT_VERSION = "2026-11"

FORM = """<!doctype html><title>Ask about a boat</title>
<form method="post">
  <input type="hidden" name="once" value="{once}"> <input type="hidden" name="boat" value="{boat}">
  <p><label>First name <input name="first_name" value="{first_name}"></label> <label>Last name <input name="last_name" value="{last_name}" required></label>
  <p><label>Email <input name="email" type="email" value="{email}"></label> <label>Phone <input name="phone" value="{phone}"></label>
  <p><label>Message <textarea name="message">{message}</textarea></label>
  <p><label><input type="checkbox" name="texts" value="yes"> {consent}</label>
  <p style="color: #b00">{problem}
  <p><button>Send</button>
</form>"""


def show(fields, problem=""):
    shown = {name: html.escape(fields.get(name, "")) for name in ("first_name", "last_name", "email", "phone", "message", "boat")}
    # A form that is sent twice, by a double click or a reload, is one lead.
    return FORM.format(once=html.escape(fields.get("once") or str(uuid.uuid4())), consent=CONSENT, problem=html.escape(problem), **shown)


def send(fields, request):
    hull = next(iter(slipway.hulls.list(q=fields["boat"], limit=1)), None) if fields.get("boat") else None
    consents = []
    if fields.get("texts") == "yes" and fields.get("phone"):  # the box is empty until the visitor ticks it
        consents.append({
            "channels": ["sms"], "scope": "marketing", "basis": "express_written", "method": "checkbox", "source": "web_form",
            "consent_text": CONSENT, "consent_text_version": CONSENT_VERSION, "source_url": "http://" + request.headers["Host"] + request.path,
            "ip": request.client_address[0], "user_agent": request.headers.get("User-Agent", ""),
        })
    slipway.leads.create({
        "source": "web", "source_detail": "Website form", "message": fields.get("message") or None, "hull_id": hull["id"] if hull else None,
        "contact": {name: fields[name] for name in ("first_name", "last_name", "email", "phone") if fields.get(name)}, "consents": consents,
    }, options=Options(idempotency_key=fields["once"]))


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, show({name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items() if name == "boat"}))

    def do_POST(self):
        length = min(int(self.headers.get("Content-Length", 0)), 20_000)
        fields = {name: values[0] for name, values in parse_qs(self.rfile.read(length).decode()).items()}
        try:
            send(fields, self)
        except SlipwayError as e:  # such as an invalid phone number
            self.answer(422, show(fields, " ".join(f"{d['field'].split('.')[-1].replace('_', ' ')} {d['message']}." for d in e.details) or e.message))
        except ConnectionError:
            self.answer(503, show(fields, "We can't receive messages at the moment. Try again in a minute, or call us."))
        else:
            self.answer(200, "<!doctype html><title>Thank you</title><p>Thank you. We will answer soon.")

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


print("Ready", flush=True)
ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 4020))), Site).serve_forever()

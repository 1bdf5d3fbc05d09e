import base64
import hashlib
import hmac
import unittest

from slipway_sdk import SignatureError, parse_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = 1_614_265_330


def signed(body: str, at: int = NOW, secret: str = SECRET) -> str:
    key = base64.b64decode(secret[len("whsec_"):])
    return "v1," + base64.b64encode(hmac.new(key, f"msg_1.{at}.{body}".encode(), hashlib.sha256).digest()).decode()


class Webhooks(unittest.TestCase):
    body = '{"type": "hull.created", "data": {"object": {"model": "210 Montauk"}}}'

    def headers(self, signature: str, at: int = NOW) -> dict:
        return {"Webhook-Id": "msg_1", "webhook-timestamp": str(at), "webhook-signature": signature}

    def test_vector_of_standard_webhooks(self) -> None:
        headers = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        self.assertEqual(parse_webhook('{"test": 2432232314}', headers, SECRET, NOW), {"test": 2432232314})

    def test_accepted(self) -> None:
        other = "whsec_" + base64.b64encode(b"another secret").decode()
        for what, signature in {"one": signed(self.body), "two secrets": signed(self.body, secret=other) + " " + signed(self.body), "with another version": "v2,abc " + signed(self.body)}.items():
            for body in [self.body, self.body.encode()]:
                with self.subTest(what):
                    self.assertEqual(parse_webhook(body, self.headers(signature), SECRET, NOW)["type"], "hull.created")
        self.assertTrue(parse_webhook(self.body, self.headers(signed(self.body)), SECRET, NOW + 300))

    def test_rejected(self) -> None:
        good = signed(self.body)
        other = "whsec_" + base64.b64encode(b"another secret").decode()
        for what, body, headers, now in [
            ("another body", self.body + " ", self.headers(good), NOW),
            ("another secret", self.body, self.headers(signed(self.body, secret=other)), NOW),
            ("too old", self.body, self.headers(good), NOW + 301),
            ("from the future", self.body, self.headers(good), NOW - 301),
            ("no signature", self.body, self.headers(""), NOW),
            ("no headers", self.body, {}, NOW),
            ("not base64", self.body, self.headers("v1,%"), NOW),
            ("an empty signature", self.body, self.headers("v1,"), NOW),
            ("another time", self.body, self.headers(good, NOW + 1), NOW),
        ]:
            with self.subTest(what), self.assertRaises(SignatureError):
                parse_webhook(body, headers, SECRET, now)
        for secret in ["", "whsec_", "whsec_%"]:
            with self.subTest(secret), self.assertRaises(ValueError):
                parse_webhook(self.body, self.headers(good), secret, NOW)

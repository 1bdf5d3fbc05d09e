import asyncio
import io
import unittest
import uuid

from slipway_sdk import AsyncSlipway, ConnectionError, File, Options, Slipway, SlipwayError

from .script import Script, drops, fails, ok, page, reply, vanishes

HTML = "<html><body>Bad Gateway</body></html>"
FIRST, LAST = page(["hull_3", "hull_2"], "hull_2"), page(["hull_1"], None)


class Retries(unittest.TestCase):
    def test_retries(self) -> None:
        for what, steps, waits, code in [
            ("succeeds", [ok], 0, None),
            ("dropped after the headers", [drops, ok], 1, None),
            ("no response", [vanishes, vanishes, ok], 2, None),
            ("429 with Retry-After", [fails(429, "rate_limited", Retry_After="2"), ok], [2], None),
            ("503 twice", [fails(503, "unavailable"), fails(503, "unavailable"), ok], 2, None),
            ("409 with Retry-After", [fails(409, "conflict", Retry_After="1"), ok], [1], None),
            ("409", [fails(409, "conflict")], 0, "conflict"),
            ("422", [fails(422, "unprocessable")], 0, "unprocessable"),
            ("HTML of a proxy", [reply(502, HTML)] * 4, 3, "server_error"),
            ("a long Retry-After", [fails(503, "unavailable", Retry_After="3600")], 0, "unavailable"),
            ("a page of a proxy with 200", [reply(200, HTML)], 0, "server_error"),
            ("a redirect", [reply(301, "", Location="/elsewhere")], 0, "server_error"),
        ]:
            with self.subTest(what), Script(*steps) as s:
                got = None
                try:
                    self.assertEqual(s.slipway.contacts.create({"last_name": "Bell"})["id"], "con_1")
                except SlipwayError as e:
                    got = e.code
                self.assertEqual(got, code)
                self.assertEqual(len(s.requests), len(steps))
                self.assertEqual(s.waits if isinstance(waits, list) else len(s.waits), waits)
                self.assertEqual(len(s.keys()), 1)
                uuid.UUID(s.keys()[0])
                self.assertEqual({r.body for r in s.requests}, {b'{"last_name": "Bell"}'})

    def test_backoff_is_bounded(self) -> None:
        with Script(*[vanishes] * 8, max_retries=7) as s:
            with self.assertRaises(ConnectionError):
                s.slipway.hulls.get("hull_1")
            for wait, most in zip(s.waits, [0.5, 1, 2, 4, 8, 8, 8]):
                self.assertTrue(most / 2 <= wait <= most, s.waits)

    def test_reads_and_deletes_have_no_key(self) -> None:
        with Script(vanishes, ok, vanishes, reply(204, "")) as s:
            s.slipway.contacts.get("con_1")
            s.slipway.contacts.erase("con_1", options=Options(if_version=3))
            self.assertEqual(s.keys(), [None])
            self.assertEqual(s.requests[3].headers["If-Match"], '"3"')

    def test_own_key(self) -> None:
        with Script(ok, ok) as s:
            key = "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10"
            for _ in range(2):
                s.slipway.contacts.create({"last_name": "Bell"}, options=Options(idempotency_key=key))
            self.assertEqual(s.keys(), [key])

    def test_a_connection_that_was_closed_is_replaced(self) -> None:
        def closes(r):
            ok(r)
            r.close_connection = True  # without saying so

        with Script(closes, ok) as s:
            s.slipway.contacts.get("con_1")
            s.slipway.contacts.get("con_1")
            self.assertEqual((len(s.requests), s.waits), (2, []))

    def test_files(self) -> None:
        class Stream(io.RawIOBase):
            parts = [b"ab", b"c", b""]

            def readable(self):
                return True

            def read(self, _=-1):
                return self.parts.pop(0)

        with Script(vanishes, ok, fails(503, "unavailable"), vanishes, ok) as s:
            s.slipway.hulls.upload_photo("hull_1", File(b"abc", "image/jpeg"))
            self.assertEqual([(r.body, r.headers["Content-Type"]) for r in s.requests], [(b"abc", "image/jpeg")] * 2)
            with self.assertRaises(SlipwayError):  # it can't be read again
                s.slipway.hulls.upload_photo("hull_1", Stream())
            self.assertEqual(s.requests[2].body, b"abc")
            s.slipway.hulls.upload_photo("hull_1", io.BytesIO(b"abc"))
            self.assertEqual([r.body for r in s.requests[3:]], [b"abc", b"abc"])


class Errors(unittest.TestCase):
    def test_error(self) -> None:
        with Script(fails(422, "unprocessable", Retry_After="7")) as s, self.assertRaises(SlipwayError) as raised:
            s.slipway.hulls.get("hull_1")
        e = raised.exception
        self.assertEqual((e.status, e.code, e.request_id, e.field("title"), e.field("make"), e.retry_after), (422, "unprocessable", "req_1", "is too long", None, 7))
        self.assertEqual(str(e), "No. (422 unprocessable, req_1)")

    def test_no_response(self) -> None:
        with self.assertRaises(ConnectionError) as raised:
            Slipway("http://127.0.0.1:1", "sk_test_1", max_retries=0).hulls.get("hull_1")
        self.assertIsInstance(raised.exception.__cause__, ConnectionRefusedError)
        self.assertIn("GET /v1/hulls/hull_1", str(raised.exception))
        self.assertIn("refused", str(raised.exception))

    def test_invalid_calls(self) -> None:
        with self.assertRaisesRegex(ValueError, "SLIPWAY_KEY"):
            Slipway("https://slipway.example.com", "")
        with self.assertRaisesRegex(ValueError, "not the URL"):
            Slipway("slipway.example.com", "sk_test_1")
        with Script() as s:
            for identifier in ["", ".", ".."]:
                with self.assertRaisesRegex(ValueError, "not an ID"):
                    s.slipway.hulls.get(identifier)

    def test_a_credential_that_fails_is_not_retried(self) -> None:
        def key() -> str:
            raise RuntimeError("no token")

        with Script(key=key) as s, self.assertRaisesRegex(RuntimeError, "no token"):
            s.slipway.hulls.get("hull_1")
        self.assertEqual((s.requests, s.waits), ([], []))

    def test_hooks_and_time_limit(self) -> None:
        import time

        seen = []
        with Script(lambda r: time.sleep(1), ok, max_retries=1, timeout=0.2, on_response=lambda i: seen.append((i.request.attempt, i.status, i.request_id))) as s:
            status = []
            s.slipway.contacts.get("con_1", options=Options(on_response=lambda code, headers: status.append((code, headers["Request-Id"]))))
        self.assertEqual((seen, status), ([(1, 0, ""), (2, 200, "req_1")], [(200, "req_1")]))


class Lists(unittest.TestCase):
    def test_lists(self) -> None:
        start, following = "/v1/hulls?limit=100", "/v1/hulls?limit=100&starting_after=hull_2"
        for what, steps, most, query, want, urls in [
            ("all pages", [FIRST, LAST], 9, {"make": "Grady-White"}, 3, ["/v1/hulls?make=Grady-White&limit=100", "/v1/hulls?make=Grady-White&limit=100&starting_after=hull_2"]),
            ("pages of your size", [FIRST, LAST], 9, {"limit": 2}, 3, ["/v1/hulls?limit=2", "/v1/hulls?limit=2&starting_after=hull_2"]),
            ("ends early", [FIRST], 2, {}, 2, [start]),
            ("a page is retried", [FIRST, fails(503, "unavailable"), drops, LAST], 9, {}, 3, [start, following, following, following]),
            ("newer objects", [FIRST], 9, {"ending_before": "hull_1"}, 2, ["/v1/hulls?ending_before=hull_1&limit=100"]),
        ]:
            with self.subTest(what), Script(*steps) as s:
                got = []
                for hull in s.slipway.hulls.list(**query):
                    got.append(hull["id"])
                    if len(got) == most:
                        break
                self.assertEqual(len(got), want)
                # The order of parameters doesn't matter.
                self.assertEqual([sorted(r.url.split("?")[1].split("&")) for r in s.requests], [sorted(u.split("?")[1].split("&")) for u in urls])

    def test_one_page(self) -> None:
        with Script(FIRST) as s:
            got = s.slipway.hulls.list().page()
            self.assertEqual((len(got.data), got.has_more, got.next_cursor, got.prev_cursor), (2, True, "hull_2", "hull_3"))
            self.assertEqual(s.requests[0].url, "/v1/hulls")

    def test_a_page_that_has_not_changed_is_not_sent_again(self) -> None:
        with Script(page(["hull_1"], None, ETag='"a"'), reply(304, ""), page(["hull_2"], None, ETag='"b"'), page(["hull_3"], None)) as s:
            got = [s.slipway.hulls.list().page().data[0]["id"] for _ in range(3)]
            got.append(s.slipway.hulls.list(make="Pursuit").page().data[0]["id"])
            self.assertEqual(got, ["hull_1", "hull_1", "hull_2", "hull_3"])
            self.assertEqual([r.headers.get("If-None-Match") for r in s.requests], [None, '"a"', '"a"', None])

    def test_filters(self) -> None:
        with Script(FIRST) as s:
            s.slipway.preview.hulls.list(archived=False, expand=["location"]).page()
            self.assertEqual(s.requests[0].url, "/v2-preview/hulls?archived=false&expand=location")


class Async(unittest.TestCase):
    def test_async(self) -> None:
        with Script(FIRST, LAST, FIRST, ok, reply(200, "make,model\n")) as s:
            slipway = AsyncSlipway(s.url, "sk_test_1")

            async def run() -> None:
                self.assertEqual([h["id"] async for h in slipway.hulls.list()], ["hull_3", "hull_2", "hull_1"])
                self.assertEqual((await slipway.hulls.list(limit=2)).next_cursor, "hull_2")
                self.assertEqual((await slipway.contacts.get("con_1"))["id"], "con_1")
                async with await slipway.preview.reports.get_inventory_csv() as file:
                    self.assertEqual(await file.read(), b"make,model\n")

            asyncio.run(run())
        self.assertEqual(s.requests[4].headers["Accept"], "text/csv")


class Downloads(unittest.TestCase):
    def test_stream(self) -> None:
        with Script(reply(200, "x" * 100_000)) as s:
            with s.slipway.hulls.get_photo_content("hull_1", "pho_1") as file:
                self.assertEqual(file.headers["Request-Id"], "req_1")
                self.assertEqual(sum(len(part) for part in file), 100_000)

import json
import threading
import time
import unittest

from slipway_sdk import OAuth, SlipwayError, Tokens

from .script import Script, fails, reply


def issues(name: str, refresh: str = "", seconds: int = 3600):
    return reply(200, json.dumps({"access_token": name, "expires_in": seconds, **({"refresh_token": refresh} if refresh else {})}))


class OAuthTest(unittest.TestCase):
    def test_refresh(self) -> None:
        saved = []
        with Script(fails(503, "unavailable"), issues("at_2", "rt_2")) as s:
            old = Tokens("at_1", time.time() + 30, "rt_1")
            oauth = OAuth(s.url + "/oauth/token", "app_1", "cs_1", tokens=old, save=saved.append, sleep=s.waits.append)
            got = []
            threads = [threading.Thread(target=lambda: got.append(oauth.token())) for _ in range(8)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual(got, ["at_2"] * 8)
            self.assertEqual([(r.url, r.body) for r in s.requests], [("/oauth/token", b"client_id=app_1&client_secret=cs_1&grant_type=refresh_token&refresh_token=rt_1")] * 2)
            self.assertEqual([t.refresh_token for t in saved], ["rt_2"])

    def test_client_credentials(self) -> None:
        with Script(issues("at_1"), reply(400, '{"error": "invalid_grant", "error_description": "The install was removed."}')) as s:
            oauth = OAuth(s.url + "/oauth/token", "app_1", "cs_1", install_id="ins_1")
            self.assertEqual(oauth.token(), "at_1")
            self.assertIn(b"install_id=ins_1", s.requests[0].body)
            oauth._tokens = None
            with self.assertRaisesRegex(SlipwayError, "The install was removed"):
                oauth.token()

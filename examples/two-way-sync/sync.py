"""Keeps the boats of another system in sync in both directions. The other system is a SQLite file.

    SLIPWAY_KEY=sk_test_... python3 examples/two-way-sync/sync.py boats.db

Slipway owns everything except for the title, which the other system can change: set its new text in
boats.new_title. Run it again and again: each run only reads what has changed. The key needs the scopes
hulls:read and hulls:write.
"""

import email.utils
import os
import sqlite3
import sys
from datetime import timedelta, timezone

from slipway_sdk import Options, Slipway, SlipwayError

OVERLAP = timedelta(minutes=1)  # a change can become visible later than its time


def open_copy(file):
    copy = sqlite3.connect(file)
    copy.executescript("""
        CREATE TABLE IF NOT EXISTS boats (id TEXT PRIMARY KEY, version INTEGER, title TEXT, price_usd INTEGER, status TEXT, new_title TEXT);
        CREATE TABLE IF NOT EXISTS synced (since TEXT);
    """)
    return copy


def save(copy, h):
    """Saves a boat, unless the copy has this version or a newer one. It reports whether it did."""
    cursor = copy.execute("""
        INSERT INTO boats (id, version, title, price_usd, status) VALUES (:id, :version, :title, :price_usd, :status)
        ON CONFLICT (id) DO UPDATE SET version = :version, title = :title, price_usd = :price_usd, status = :status WHERE version < :version
    """, {name: h[name] for name in ("id", "version", "title", "price_usd", "status")})
    return cursor.rowcount


def pull(slipway, copy):
    since = (copy.execute("SELECT since FROM synced").fetchone() or [None])[0]
    times = []

    def remember(_, headers):  # the server's clock, when the first page was requested
        times.append(email.utils.parsedate_to_datetime(headers["Date"]))

    changed = 0
    for h in slipway.hulls.list(include_archived=True, updated_after=since, options=Options(on_response=remember)):
        changed += save(copy, h)
    copy.execute("DELETE FROM synced")
    copy.execute("INSERT INTO synced VALUES (?)", [(times[0] - OVERLAP).astimezone(timezone.utc).isoformat()])
    copy.commit()  # together: a run that stops in the middle starts again at the same time
    return changed


def push(slipway, copy):
    changed = 0
    for identifier, version, title in copy.execute("SELECT id, version, new_title FROM boats WHERE new_title IS NOT NULL").fetchall():
        try:
            h = slipway.hulls.update(identifier, {"title": title}, options=Options(if_version=version))
        except SlipwayError as e:
            if e.code == "conflict":  # someone changed the boat: pull it first, and send the title in the next run
                print(f"{identifier} has changed in Slipway")
                continue
            if e.code not in ("unprocessable", "not_found"):
                raise
            print(f"{identifier}: {e}")  # it would be rejected again
        else:
            save(copy, h)  # so that the own change doesn't come back as a new one
            changed += 1
        copy.execute("UPDATE boats SET new_title = NULL WHERE id = ?", [identifier])
        copy.commit()
    return changed


if __name__ == "__main__":
    client = Slipway(os.environ.get("SLIPWAY_BASE_URL", "http://127.0.0.1:8080"), os.environ["SLIPWAY_KEY"])
    database = open_copy(sys.argv[1])
    sent = push(client, database)
    print(f"{pull(client, database)} received, {sent} sent")

"""Prints the boats of a make, and shows how to get one page."""

import os

from slipway_sdk import Slipway

slipway = Slipway(os.environ["SLIPWAY_URL"], os.environ["SLIPWAY_KEY"])

# The SDK requests the pages while you iterate. If you stop early, it sends no more requests.
for h in slipway.hulls.list(make="Boston Whaler", status="available"):
    print(h["year"], h["model"], h["price_usd"])

# One page, for example to show it in a table.
page = slipway.hulls.list(limit=1).page()
if page.next_cursor:
    print("Next page:", page.next_cursor)

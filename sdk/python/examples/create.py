"""Adds a boat. It is safe to run again, because the request has a name."""

import os

from slipway_sdk import Options, Slipway

slipway = Slipway(os.environ["SLIPWAY_URL"], os.environ["SLIPWAY_KEY"])

# The SDK retries a request that got no response, and the server adds the boat once. If your program can
# stop before it stores the result, name the request with a UUID of your own.
order = Options(idempotency_key="4f1d8c52-6a0e-4d0b-8d9e-2b7f3c1a9e10")
ids = set()
for _ in range(2):
    boat = slipway.hulls.create(
        {
            "make": "Boston Whaler", "model": "130 Super Sport", "year": 2027, "length_ft": 13.33, "price_usd": 24900,
            "hin": "BWC13001H627", "location_id": os.environ["LOCATION"],
        },
        options=order,
    )
    ids.add(boat["id"])
print("Created once:", str(len(ids) == 1).lower())

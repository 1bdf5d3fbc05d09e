"""Changes a boat that someone else changed in the meantime."""

import os

from slipway_sdk import Options, Slipway, SlipwayError

slipway = Slipway(os.environ["SLIPWAY_URL"], os.environ["SLIPWAY_KEY"])

for h in slipway.hulls.list(limit=1).page().data:
    # Someone else changes the boat after you read it.
    slipway.hulls.update(h["id"], {"title": "Second owner"})

    # if_version protects their change.
    try:
        slipway.hulls.update(h["id"], {"title": "Winterized", "description": None}, options=Options(if_version=h["version"]))
    except SlipwayError as e:
        if e.code != "conflict":
            raise
        print("Someone else changed it. Title:", slipway.hulls.get(h["id"])["title"])

    try:
        slipway.hulls.update(h["id"], {"length_ft": -1})
    except SlipwayError as e:
        print("length_ft", e.field("length_ft"))

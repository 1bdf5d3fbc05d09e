"""An assistant that drafts answers to leads. A person approves each one in the console.

    SLIPWAY_KEY=sk_test_... python3 examples/lead-assistant/assistant.py

It only proposes: whatever a lead writes, nothing is sent until someone approves it. The key needs the scopes
hulls:read and leads:write. To use a model, replace draft: everything in facts is safe to show to it, and
facts["message"] is text of a stranger, which it must not follow.
"""

import os

from slipway_sdk import Slipway, SlipwayError


def draft(facts):
    """Writes an answer. This one needs no model."""
    hello = f"Hi {facts['first_name']}," if facts["first_name"] else "Hello,"
    if not facts["boat"]:
        return f"{hello} thank you for your message. What kind of boat are you looking for, and when do you want to be on the water?"
    if not facts["available"]:
        return f"{hello} thank you for asking about the {facts['boat']}. It is reserved right now. Shall we call you if that changes?"
    price = f" The price is ${facts['price_usd']:,}." if facts["price_usd"] else ""
    return f"{hello} the {facts['boat']} is available.{price} When would you like to see it?"


def facts_of(slipway, lead):
    contact = slipway.contacts.get(lead["contact_id"])
    boat = slipway.hulls.get(lead["hull_id"]) if lead["hull_id"] else None
    received = [m for m in slipway.leads.list_messages(lead["id"], limit=5).page().data if m["direction"] == "inbound"]
    return {
        "first_name": contact["first_name"] or "",
        "channel": received[0]["channel"] if received else "email" if contact["email"] else "sms",
        "message": received[0]["body"] if received else "",
        "boat": f"{boat['year']} {boat['make']} {boat['model']}" if boat else "",
        "available": bool(boat) and boat["status"] == "available",
        "price_usd": boat["price_usd"] if boat else None,
    }


def main():
    slipway = Slipway(os.environ.get("SLIPWAY_BASE_URL", "http://127.0.0.1:8080"), os.environ["SLIPWAY_KEY"])
    for lead in slipway.preview.leads.list(awaiting="us", sort="awaiting_since", limit=20).page().data:
        if slipway.preview.proposals.list(object_id=lead["id"], status="pending", limit=1).page().data:
            continue  # a person hasn't decided yet
        facts = facts_of(slipway, lead)
        if facts["channel"] not in ("email", "sms"):
            continue  # someone has to call
        body = {"channel": facts["channel"], "purpose": "transactional", "body": draft(facts)}
        if facts["channel"] == "email":
            body["subject"] = f"Your question about the {facts['boat']}" if facts["boat"] else "Your question"
        try:
            proposal = slipway.preview.proposals.create(
                {"operation_id": "sendLeadMessage", "path": {"lead_id": lead["id"]}, "body": body, "reason": "The lead waits for an answer."}
            )
        except SlipwayError as e:  # such as an address that can't be used
            print(f"{lead['id']}: {e}")
            continue
        print(f"{lead['id']}: proposed {proposal['id']}")


main()

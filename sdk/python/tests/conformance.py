"""Calls operations for a test of the server, which sends one command per line on the standard input.

Answers each with a line: the error, if the call failed or the response doesn't have the type that the
SDK says. Each operation that only reads is called with asyncio, too.
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import sys
import typing
from typing import Any

from slipway_sdk import AsyncSlipway, Download, File, Slipway, types_gen


def run(command: dict) -> Any:
    slipway = Slipway(command["url"], command["key"], max_retries=0)
    method = getattr(getattr(slipway.preview if command["preview"] else slipway, command["family"]), command["method"])
    args = list(command["ids"])
    if command.get("file"):
        args.append(File(base64.b64decode(command["file"]["bytes"]), command["file"]["type"]))
    elif command.get("body") is not None:
        args.append(command["body"])
        body = next((p for p in inspect.signature(method).parameters.values() if p.name == "body"), None)
        if body is not None:
            check(command["body"], evaluate(body.annotation), "body")

    result = method(*args)
    returns = evaluate(inspect.signature(method).return_annotation)
    if isinstance(result, Download):
        with result as file:
            file.read(1)  # a stream of events doesn't end
        return None
    if typing.get_origin(returns) is not None and typing.get_origin(returns).__name__ == "Pager":
        items = list(result)
        check(items, typing.List[typing.get_args(returns)[0]], "response")
        listed = asyncio.run(again(command))
        if not {item.get("id") for item in items} <= {item.get("id") for item in listed}:  # reading can be audited
            raise AssertionError("the list is another one with asyncio")
        return None
    check(result, returns, "response")
    return None


async def again(command: dict) -> list:
    slipway = AsyncSlipway(command["url"], command["key"], max_retries=0)
    method = getattr(getattr(slipway.preview if command["preview"] else slipway, command["family"]), command["method"])
    return [item async for item in method(*command["ids"])]


scope = {**vars(typing), **vars(types_gen), "t": types_gen}


def evaluate(annotation: Any) -> Any:
    if isinstance(annotation, str):
        from slipway_sdk import Pager

        return eval(annotation, {**scope, "Pager": Pager, "Download": Download})
    return annotation


def check(value: Any, wanted: Any, where: str) -> None:
    """Fails if a value doesn't have a type, or has a key that the type doesn't know."""
    wanted = evaluate(wanted.__forward_arg__ if isinstance(wanted, typing.ForwardRef) else wanted)
    origin, args = typing.get_origin(wanted), typing.get_args(wanted)
    if wanted is Any:
        return
    if wanted is None or wanted is type(None):
        ok = value is None
    elif origin is typing.Union:
        ok = any(matches(value, option, where) for option in args)
        if not ok and isinstance(value, dict):  # say why
            tagged = [o for o in args if hasattr(o, "__required_keys__") and matches(value.get("type"), hints(o).get("type", Any), where)]
            for option in tagged or [o for o in args if o is not type(None)]:
                check(value, option, where)
    elif origin is typing.Literal:
        ok = value in args
    elif origin in (list, typing.List):
        ok = isinstance(value, list)
        for i, item in enumerate(value if ok else []):
            check(item, args[0], f"{where}[{i}]")
    elif origin in (dict, typing.Dict):
        ok = isinstance(value, dict)
        for name, item in (value if ok else {}).items():
            check(item, args[1], f"{where}.{name}")
    elif hasattr(wanted, "__required_keys__"):
        ok = isinstance(value, dict)
        if ok:
            fields = hints(wanted)
            unknown, missing = value.keys() - fields.keys(), wanted.__required_keys__ - value.keys()
            if where.endswith(".data.object") and value.keys() == {"id"}:  # the event of something that was erased
                missing = set()
            if unknown or missing:
                raise AssertionError(f"{where}: {wanted.__name__} has unknown keys {sorted(unknown)}, missing {sorted(missing)}")
            for name, item in value.items():
                check(item, fields[name], f"{where}.{name}")
    elif wanted is float:
        ok = isinstance(value, (int, float)) and not isinstance(value, bool)
    elif wanted is int:
        ok = isinstance(value, int) and not isinstance(value, bool)
    else:
        ok = isinstance(value, wanted)
    if not ok:
        raise AssertionError(f"{where}: got {value!r}, want {wanted}")


def hints(wanted: Any) -> dict:
    if wanted not in known:
        known[wanted] = typing.get_type_hints(wanted, scope)
    return known[wanted]


known: dict = {}


def matches(value: Any, wanted: Any, where: str) -> bool:
    try:
        check(value, wanted, where)
    except AssertionError:
        return False
    return True


for line in sys.stdin:
    answer: dict = {}
    try:
        run(json.loads(line))
    except Exception as e:  # noqa: BLE001 - the test shows it
        answer["error"] = f"{type(e).__name__}: {e}"
    print(json.dumps(answer), flush=True)

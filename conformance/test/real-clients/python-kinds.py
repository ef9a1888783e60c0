"""Clients of other kinds in Python: python-kinds.py KIND."""

import asyncio
import dataclasses
import email.utils
import json
import os
import sys
import time
import urllib.error
import urllib.request

base = os.environ["PETSTORE_BASE_URL"]
auth = {"Authorization": "Bearer " + os.environ["PETSTORE_API_KEY"]}
category = os.environ["PETSTORE_CATEGORY_ID"]


def pet(name):
    return '{"name":"%s","categoryId":%s,"status":"available"}' % (name, category)


def wait_of(headers, attempt):
    asked = headers["Retry-After"]
    if not asked.isdigit():
        asked = email.utils.parsedate_to_datetime(asked).timestamp() - time.time()
    return max(0, float(asked)) + 0.15 * 2**attempt


def rest_of(headers):
    return max(0, int(headers["X-RateLimit-Reset"]) - time.time()) if headers["X-RateLimit-Remaining"] == "0" else 0


def send(path, body=None):
    headers = auth if body is None else {**auth, "Content-Type": "application/json"}
    for attempt in range(6):
        request = urllib.request.Request(base + path, data=body and body.encode(), headers=headers)
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        text = answer.read().decode()
        if answer.status != 429:
            time.sleep(rest_of(answer.headers))
            return answer.status, text
        time.sleep(wait_of(answer.headers, attempt))
    raise RuntimeError("429")


@dataclasses.dataclass
class Pet:
    id: int
    name: str
    categoryId: int
    status: str = "available"


def into_dataclasses():
    send("/pets", pet("Rex"))
    for one in json.loads(send("/pets?limit=50")[1]):
        Pet(**one)


def float_ids():
    """json.loads with floats for integers, as a data frame has them."""
    created = json.loads(send("/pets", pet("Rex"))[1], parse_int=float)
    assert send("/pets/%d" % created["id"])[0] == 200


def expects_default_status():
    body = '{"name":"Rex","categoryId":%s}' % category
    assert json.loads(send("/pets", body)[1])["status"] == "available"


async def with_aiohttp():
    import aiohttp

    async with aiohttp.ClientSession(headers=auth) as session:

        async def ask(method, path, body=None):
            headers = {} if body is None else {"Content-Type": "application/json"}
            for attempt in range(6):
                async with session.request(method, base + path, data=body, headers=headers) as answer:
                    text = await answer.text()
                if answer.status != 429:
                    await asyncio.sleep(rest_of(answer.headers))
                    return answer.status, text
                await asyncio.sleep(wait_of(answer.headers, attempt))
            raise RuntimeError("429")

        created = await asyncio.gather(*(ask("POST", "/pets", pet(name)) for name in ("a", "b", "c", "d")))
        assert all(status == 201 for status, _ in created)
        status, text = await ask("GET", "/pets?status=available&limit=50")
        assert status == 200 and isinstance(json.loads(text), list)


def with_httpx_stream():
    import httpx

    for attempt in range(6):
        with httpx.stream("GET", base + "/pets?limit=50", headers=auth) as answer:
            if answer.status_code != 429:
                assert answer.status_code == 200 and json.loads("".join(answer.iter_text())) is not None
                return
            wait = wait_of(answer.headers, attempt)
        time.sleep(wait)
    raise RuntimeError("429")


kinds = {
    "dataclass": into_dataclasses,
    "float-ids": float_ids,
    "default-status": expects_default_status,
    "aiohttp": lambda: asyncio.run(with_aiohttp()),
    "httpx-stream": with_httpx_stream,
}
kinds[sys.argv[1]]()

"""A client on one of the HTTP stacks of Python, which behaves in one of several ways: python-client.py STACK WAY."""

import email.utils
import http.client
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

base = os.environ["PETSTORE_BASE_URL"]
key = os.environ["PETSTORE_API_KEY"]
category = os.environ["PETSTORE_CATEGORY_ID"]
stack, way = sys.argv[1:3]


def headers_of(body):
    headers = {"Authorization": "Bearer " + key}
    return headers if body is None else {**headers, "Content-Type": "application/json"}


def over_urllib(path, method="GET", body=None):
    data = None if body is None else body.encode()
    request = urllib.request.Request(base + path, data=data, method=method, headers=headers_of(body))
    try:
        answer = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        answer = error
    return answer.status, answer.read().decode(), answer.headers


def over_http_client(path, method="GET", body=None):
    place = urlsplit(base)
    connection = http.client.HTTPConnection(place.hostname, place.port)
    connection.request(method, place.path + path, body=body, headers=headers_of(body))
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text, answer.headers


def over_requests(path, method="GET", body=None):
    import requests

    answer = requests.request(method, base + path, data=body, headers=headers_of(body))
    return answer.status_code, answer.text, answer.headers


def over_requests_with_retry(path, method="GET", body=None):
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    session = requests.Session()
    retry = Retry(total=4, backoff_factor=0.3, status_forcelist=[429], raise_on_status=False)
    session.mount("http://", HTTPAdapter(max_retries=retry))
    answer = session.request(method, base + path, data=body, headers=headers_of(body))
    return answer.status_code, answer.text, answer.headers


def over_urllib3(path, method="GET", body=None):
    import urllib3

    answer = urllib3.PoolManager().request(method, base + path, body=body, headers=headers_of(body), retries=3)
    return answer.status, answer.data.decode(), answer.headers


def over_httpx(path, method="GET", body=None):
    import httpx

    answer = httpx.request(method, base + path, content=body, headers=headers_of(body))
    return answer.status_code, answer.text, answer.headers


stacks = {
    "urllib": over_urllib,
    "http.client": over_http_client,
    "requests": over_requests,
    "requests+Retry": over_requests_with_retry,
    "urllib3": over_urllib3,
    "httpx": over_httpx,
}
send = stacks[stack]


def patiently(path, method="GET", body=None):
    for attempt in range(6):
        status, text, headers = send(path, method, body)
        if status != 429:
            if headers.get("X-RateLimit-Remaining") == "0":
                time.sleep(max(0, int(headers["X-RateLimit-Reset"]) - time.time()))
            return status, text, headers
        asked = headers.get("Retry-After", "1")
        if not asked.isdigit():
            asked = email.utils.parsedate_to_datetime(asked).timestamp() - time.time()
        time.sleep(max(0, float(asked)) + 0.15 * 2**attempt)
    raise RuntimeError("429")


def new_pet(name):
    return '{"name":"%s","categoryId":%s,"status":"available"}' % (name, category)


def id_of(text):
    return re.search(r'"id"\s*:\s*(-?\d+)', text).group(1)


def create_and_list(ask):
    assert ask("/pets", "POST", new_pet("Rex"))[0] == 201
    page = json.loads(ask("/pets?status=available&limit=10")[1])
    assert isinstance(page, list) and all(pet["status"] == "available" for pet in page)


def expects_order():
    ids = [id_of(patiently("/pets", "POST", new_pet(name))[1]) for name in ("Rex", "Tom")]
    listed = [str(pet["id"]) for pet in json.loads(patiently("/pets?limit=100")[1])]
    assert [one for one in listed if one in ids] in (ids, ids[:1], ids[1:], []), "the oldest first"


def tests_refusals():
    for body in ('{"name":1}', '{"name":"Rex"}', "{}"):
        assert patiently("/pets", "POST", body)[0] == 400
    assert patiently("/pets")[0] == 200


def gets_by_id():
    send("/pets/" + id_of(patiently("/pets", "POST", new_pet("Rex"))[1]))


ways = {
    "careful": lambda: create_and_list(patiently),
    "defaults": lambda: create_and_list(send),
    "expects-order": expects_order,
    "tests-refusals": tests_refusals,
    "gets-by-id": gets_by_id,
}
ways[way]()

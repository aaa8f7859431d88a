"""Adds an animal and goes through all pages: python3 examples/python/pets.py"""

import json
import os
import re
import time
import urllib.error
import urllib.request
import uuid

BASE_URL = os.environ["ANIMAL_STORE_BASE_URL"]
API_KEY = os.environ["ANIMAL_STORE_API_KEY"]
ATTEMPTS = 3


def request(path, body=None, idempotency_key=None):
    """Sends a request, and gives the body and the header fields of the answer."""
    headers = {"Authorization": f"Bearer {API_KEY}"}
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    if idempotency_key is not None:
        headers["Idempotency-Key"] = idempotency_key
    for attempt in range(1, ATTEMPTS + 1):
        try:
            message = urllib.request.Request(BASE_URL + path, data, headers)
            with urllib.request.urlopen(message, timeout=30) as response:
                # Python's integers are exact, so 64-bit categories are too.
                return json.load(response), response.headers
        except urllib.error.HTTPError as error:
            # Whoever keeps sending after a 429 is banned, so wait as long as the service asks.
            retry_after = error.headers.get("Retry-After")
            if retry_after is None or attempt == ATTEMPTS:
                raise SystemExit(json.load(error)["message"]) from error
            time.sleep(int(retry_after))


def each_pet(query=""):
    """Goes through all pages."""
    path = f"/pets?limit=100{query}"
    while path is not None:
        pets, headers = request(path)
        yield from pets
        cursor = re.search(r'[?&]cursor=([^&>]+)[^>]*>; rel="next"', headers.get("Link", ""))
        path = cursor and f"/pets?limit=100{query}&cursor={cursor[1]}"


mia, _ = request("/pets", {"name": "Mia", "categoryId": 9007199254740993}, str(uuid.uuid4()))
print(mia["name"], "has category", mia["categoryId"])
print(sum(1 for _ in each_pet("&status=available")), "animals are for sale")

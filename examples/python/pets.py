import http.client
import json
import os
import random
import re
import time
import urllib.error
import urllib.request
import uuid

BASE_URL = os.environ.get("ANIMAL_STORE_BASE_URL", "http://127.0.0.1:3000/v1")
ATTEMPTS = 4
LONGEST_WAIT = 120


def call(method, url, body=None, headers=None):
    """Sends a request, and returns the body and the headers of the response.

    The function retries after a lost connection, and after responses with Retry-After.
    """
    message = urllib.request.Request(
        url,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}", **(headers or {})},
    )
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with urllib.request.urlopen(message, timeout=30) as response:
                return json.load(response), response.headers
        except urllib.error.HTTPError as error:
            seconds = int(error.headers.get("Retry-After") or 0)
            # If the quota of the day is used up or the key is banned, the wait is long. Notify
            # somebody instead of waiting.
            if attempt == ATTEMPTS or not 0 < seconds <= LONGEST_WAIT:
                raise RuntimeError(f"{error.code} {error.read().decode()}") from error
        except (OSError, http.client.HTTPException):
            # The connection failed, timed out, or closed before the response was complete.
            seconds = 0
            if attempt == ATTEMPTS:
                raise
        # A random delay of up to 1 s, 2 s and then 4 s. It prevents many programs from retrying at
        # the same moment.
        time.sleep(seconds + random.random() * 2 ** (attempt - 1))


def add_pet(name, category_id):
    """Adds an animal only once, because every attempt has the same Idempotency-Key."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    body = {"name": name, "categoryId": category_id}
    return call("POST", f"{BASE_URL}/pets", body, headers)[0]


def each_pet(query="limit=100"):
    """Yields each animal on all pages."""
    url = f"{BASE_URL}/pets?{query}"
    while url:
        pets, headers = call("GET", url)
        yield from pets
        following = re.search(r'<([^>]*)>; rel="next"', headers.get("Link", ""))
        url = following and following[1]


if __name__ == "__main__":
    mia = add_pet("Mia", 9007199254740993)
    print(mia["name"], "has category", mia["categoryId"])
    print(sum(1 for _ in each_pet("status=available&limit=100")), "animals are for sale")

# A client in Python, as a developer would write it who knows only the documentation and the OpenAPI
# document. It uses only the standard library.
#
#   python3 foreign-program.py <address of openapi.json> <base URL> <API key> <key of the Free plan>

import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request


class StoreError(Exception):
    def __init__(self, status, body, headers):
        super().__init__(f"{body['code']}: {body['message']}")
        self.status, self.code, self.headers = status, body["code"], headers


class Store:
    def __init__(self, base_url, api_key):
        self.base_url, self.api_key = base_url, api_key
        self.remaining = None

    def call(self, method, url, body=None, headers=None):
        request = urllib.request.Request(
            url,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.api_key}", **(headers or {})},
        )
        if body is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request) as response:
                self.remaining = int(response.headers["X-RateLimit-Remaining"])
                return json.load(response), response.headers
        except urllib.error.HTTPError as error:
            self.remaining = int(error.headers["X-RateLimit-Remaining"])
            raise StoreError(error.code, json.load(error), error.headers) from None

    def list_pets(self, **query):
        url = f"{self.base_url}/pets?{urllib.parse.urlencode(query)}"
        while url:
            pets, headers = self.call("GET", url)
            yield from pets
            following = re.search(r'<([^>]*)>; rel="next"', headers["Link"] or "")
            url = following and following[1]

    def create_pet(self, pet, key):
        return self.call("POST", f"{self.base_url}/pets", pet, {"Idempotency-Key": key})

    def get_pet(self, pet_id):
        return self.call("GET", f"{self.base_url}/pets/{pet_id}")


def refusal(attempt):
    try:
        attempt()
    except StoreError as error:
        return error
    raise AssertionError("It was not refused.")


def use_up(store):
    for _ in range(100):
        list(store.list_pets(limit=1, status="sold"))


document_url, base_url, api_key, free_key = sys.argv[1:]
with urllib.request.urlopen(document_url) as response:
    document = json.load(response)
category = document["components"]["schemas"]["NewPet"]["properties"]["categoryId"]
assert category["format"] == "int64"
least, greatest = -(2**63), 2**63 - 1

store = Store(base_url, api_key)
cat = {"name": "Łucja 🐈", "categoryId": greatest, "status": "pending"}
created, first = store.create_pet(cat, "cat")
replayed, second = store.create_pet(cat, "cat")
others = [
    store.create_pet({"name": f"Dog {n}", "categoryId": least, "status": "pending"}, f"dog-{n}")[0]
    for n in range(4)
]
listed = list(store.list_pets(limit=2, status="pending"))
found, headers = store.get_pet(created["id"])
limited = refusal(lambda: use_up(Store(base_url, free_key)))

json.dump(
    {
        "created": created["categoryId"],
        "replayed": [replayed == created, first["Idempotent-Replayed"], second["Idempotent-Replayed"]],
        "listedAll": listed == [created, *others],
        "found": [found == created, headers["Sunset"]],
        "refused": [
            refusal(attempt).code
            for attempt in (
                lambda: list(store.list_pets(limit=101)),
                lambda: store.create_pet({"name": ""}, "nobody"),
                lambda: store.create_pet({"name": "Dog", "categoryId": 1}, "cat"),
                lambda: store.get_pet(greatest),
                lambda: store.call("DELETE", f"{base_url}/pets"),
                lambda: store.call("GET", f"{base_url}/store/orders"),
                lambda: list(Store(base_url, "ast_of_nobody").list_pets()),
            )
        ],
        "limited": [limited.status, limited.code, 1 <= int(limited.headers["Retry-After"]) <= 60],
        "remaining": store.remaining,
    },
    sys.stdout,
)

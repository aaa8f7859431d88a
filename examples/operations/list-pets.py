import json
import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    "http://127.0.0.1:3000/v1/pets?status=available&limit=50",
    headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}"},
)
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        pets = json.load(response)
        link = response.headers.get("Link")
except urllib.error.HTTPError as error:
    raise SystemExit(error.read().decode())
print([pet["name"] for pet in pets], link)

import json
import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    "http://127.0.0.1:3000/v1/rate-limit",
    headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}"},
)
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        state = json.load(response)
except urllib.error.HTTPError as error:
    raise SystemExit(error.read().decode())
print(state["windows"])

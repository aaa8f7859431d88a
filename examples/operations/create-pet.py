import json
import os
import urllib.error
import urllib.request
import uuid

request = urllib.request.Request(
    "http://127.0.0.1:3000/v1/pets",
    data=json.dumps({"name": "Mia", "categoryId": 3}).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        mia = json.load(response)
except urllib.error.HTTPError as error:
    raise SystemExit(error.read().decode())
print(mia["id"])

import json
import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    "http://127.0.0.1:3000/v1/pets?limit=500",
    headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}"},
)
try:
    urllib.request.urlopen(request, timeout=30)
except urllib.error.HTTPError as error:
    body = json.load(error)
    print(body["code"], body["message"], error.headers["X-Request-Id"])

import json
import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    "http://127.0.0.1:3000/v1/pets/1",
    headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}"},
)
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        print(json.load(response)["name"])
except urllib.error.HTTPError as error:
    if error.code != 404:
        raise
    print("No animal has this id.")

import json
import os
import urllib.request

request = urllib.request.Request(
    "http://127.0.0.1:3000/v1/pets?ids=1",
    headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}"},
)
with urllib.request.urlopen(request, timeout=30) as response:
    pets = json.load(response)
print(pets[0]["name"] if pets else "No animal has this id.")

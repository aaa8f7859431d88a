import json
import os
import re
import urllib.request

url = "http://127.0.0.1:3000/v1/pets?status=available&limit=100"
while url:
    request = urllib.request.Request(
        url, headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}"}
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        for pet in json.load(response):
            print(pet["id"], pet["name"])
        following = re.search(r'<([^>]*)>; rel="next"', response.headers.get("Link", ""))
    url = following and following[1]

// `npm run programs` writes this file from the programs in examples/operations. Edit those programs.

/** The base URL in the programs. The API reference replaces it by the URL of the service. */
export const programsBaseUrl = 'http://127.0.0.1:3000/v1';

/** The programs that call each operation, indexed by the name of the operation and by their kind. */
export const operationPrograms = {
  listPets: {
    curl: `curl -i "http://127.0.0.1:3000/v1/pets?status=available&limit=50" \\
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"
`,
    client: `import { createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});

const { pets } = await store.listPets({ status: 'available', limit: 50 });
console.log(pets.map((pet) => pet.name));
`,
    fetch: `const response = await fetch('http://127.0.0.1:3000/v1/pets?status=available&limit=50', {
  headers: { Authorization: \`Bearer \${process.env.ANIMAL_STORE_API_KEY}\` },
});
const body = await response.json();
if (!response.ok) throw new Error(\`\${body.code}: \${body.message}\`);
console.log(body, response.headers.get('Link'));
`,
    python: `import json
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
`,
    go: `package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

type Pet struct {
	ID         int64  \`json:"id"\`
	Name       string \`json:"name"\`
	CategoryID int64  \`json:"categoryId"\`
	Status     string \`json:"status"\`
}

func main() {
	request, err := http.NewRequest("GET", "http://127.0.0.1:3000/v1/pets?status=available&limit=50", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		log.Fatal(string(body))
	}
	var pets []Pet
	if err := json.NewDecoder(response.Body).Decode(&pets); err != nil {
		log.Fatal(err)
	}
	fmt.Println(pets, response.Header.Get("Link"))
}
`,
  },
  createPet: {
    curl: `curl -i "http://127.0.0.1:3000/v1/pets" \\
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: mia-$(date +%s)" \\
  -d '{"name":"Mia","categoryId":3}'
`,
    client: `import { createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});

const mia = await store.createPet({ name: 'Mia', categoryId: 3 });
console.log(mia.id);
`,
    fetch: `const response = await fetch('http://127.0.0.1:3000/v1/pets', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.ANIMAL_STORE_API_KEY}\`,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: JSON.stringify({ name: 'Mia', categoryId: 3 }),
});
const body = await response.json();
if (!response.ok) throw new Error(\`\${body.code}: \${body.message}\`);
console.log(body.id);
`,
    python: `import json
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
`,
    go: `package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

type Pet struct {
	ID         int64  \`json:"id"\`
	Name       string \`json:"name"\`
	CategoryID int64  \`json:"categoryId"\`
	Status     string \`json:"status"\`
}

func main() {
	body := []byte(\`{"name":"Mia","categoryId":3}\`)
	request, err := http.NewRequest("POST", "http://127.0.0.1:3000/v1/pets", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%x", key))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		body, _ := io.ReadAll(response.Body)
		log.Fatal(string(body))
	}
	var mia Pet
	if err := json.NewDecoder(response.Body).Decode(&mia); err != nil {
		log.Fatal(err)
	}
	fmt.Println(mia.ID)
}
`,
  },
  getPet: {
    curl: `curl -i "http://127.0.0.1:3000/v1/pets/1" \\
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"
`,
    client: `import { createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});

const pet = await store.getPet(1);
console.log(pet.name);
`,
    fetch: `const response = await fetch('http://127.0.0.1:3000/v1/pets/1', {
  headers: { Authorization: \`Bearer \${process.env.ANIMAL_STORE_API_KEY}\` },
});
const body = await response.json();
if (!response.ok) throw new Error(\`\${body.code}: \${body.message}\`);
console.log(body.name);
`,
    python: `import json
import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    "http://127.0.0.1:3000/v1/pets/1",
    headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}"},
)
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        pet = json.load(response)
except urllib.error.HTTPError as error:
    raise SystemExit(error.read().decode())
print(pet["name"])
`,
    go: `package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

type Pet struct {
	ID         int64  \`json:"id"\`
	Name       string \`json:"name"\`
	CategoryID int64  \`json:"categoryId"\`
	Status     string \`json:"status"\`
}

func main() {
	request, err := http.NewRequest("GET", "http://127.0.0.1:3000/v1/pets/1", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		log.Fatal(string(body))
	}
	var pet Pet
	if err := json.NewDecoder(response.Body).Decode(&pet); err != nil {
		log.Fatal(err)
	}
	fmt.Println(pet.Name)
}
`,
  },
  getRateLimit: {
    curl: `curl -i "http://127.0.0.1:3000/v1/rate-limit" \\
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"
`,
    client: `import { createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});

const { windows } = await store.rateLimit();
console.log(windows.minute.remaining, 'remaining of', windows.minute.limit);
`,
    fetch: `const response = await fetch('http://127.0.0.1:3000/v1/rate-limit', {
  headers: { Authorization: \`Bearer \${process.env.ANIMAL_STORE_API_KEY}\` },
});
const body = await response.json();
if (!response.ok) throw new Error(\`\${body.code}: \${body.message}\`);
console.log(body.windows);
`,
    python: `import json
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
`,
    go: `package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

type RateLimit struct {
	Plan    string \`json:"plan"\`
	Windows map[string]struct {
		Limit     int64 \`json:"limit"\`
		Remaining int64 \`json:"remaining"\`
	} \`json:"windows"\`
}

func main() {
	request, err := http.NewRequest("GET", "http://127.0.0.1:3000/v1/rate-limit", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		log.Fatal(string(body))
	}
	var state RateLimit
	if err := json.NewDecoder(response.Body).Decode(&state); err != nil {
		log.Fatal(err)
	}
	fmt.Println("remaining:", state.Windows["minute"].Remaining, state.Windows["day"].Remaining)
}
`,
  },
  listOrders: {
    curl: `curl -i "http://127.0.0.1:3000/v1/store/orders" \\
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"
`,
    client: `import { createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});

const orders = await store.request({ method: 'GET', path: '/store/orders' });
console.log(orders);
`,
    fetch: `const response = await fetch('http://127.0.0.1:3000/v1/store/orders', {
  headers: { Authorization: \`Bearer \${process.env.ANIMAL_STORE_API_KEY}\` },
});
const body = await response.json();
if (!response.ok) throw new Error(\`\${body.code}: \${body.message}\`);
console.log(body);
`,
    python: `import json
import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    "http://127.0.0.1:3000/v1/store/orders",
    headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}"},
)
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        orders = json.load(response)
except urllib.error.HTTPError as error:
    raise SystemExit(error.read().decode())
print(orders)
`,
    go: `package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

// The fields of an order are not defined yet.
type Order map[string]any

func main() {
	request, err := http.NewRequest("GET", "http://127.0.0.1:3000/v1/store/orders", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		log.Fatal(string(body))
	}
	var orders []Order
	if err := json.NewDecoder(response.Body).Decode(&orders); err != nil {
		log.Fatal(err)
	}
	fmt.Println(orders)
}
`,
  },
};

import type { Operation } from '../operations.ts';

const pet = `type Pet struct {
	ID         int64  \`json:"id"\`
	Name       string \`json:"name"\`
	CategoryID int64  \`json:"categoryId"\`
	Status     string \`json:"status"\`
}`;

/** Go's standard library alone. `int64` is exact. */
const call = ({
  imports = [],
  types,
  request,
  status = 'OK',
  result,
  print,
}: {
  imports?: readonly string[];
  types: string;
  /** Makes a request, with its headers. */
  request: string;
  status?: 'OK' | 'Created';
  /** Declares what the body is read into, as `pets []Pet`. */
  result: string;
  print: string;
}) => {
  const used = ['encoding/json', 'fmt', 'io', 'log', 'net/http', 'os', 'time', ...imports].sort();
  return `package main

import (
${used.map((name) => `	"${name}"`).join('\n')}
)

${types}

func main() {
${request}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.Status${status} {
		body, _ := io.ReadAll(response.Body)
		log.Fatal(string(body))
	}
	var ${result}
	if err := json.NewDecoder(response.Body).Decode(&${result.split(' ')[0]}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(${print})
}
`;
};

const newGet = (url: string) => `	request, err := http.NewRequest("GET", "${url}", nil)
	if err != nil {
		log.Fatal(err)
	}`;

export const goSamples: Readonly<Record<Operation, (baseUrl: string) => string>> = {
  listPets: (baseUrl) =>
    call({
      types: pet,
      request: newGet(`${baseUrl}/pets?status=available&limit=50`),
      result: 'pets []Pet',
      print: 'pets, response.Header.Get("Link")',
    }),
  createPet: (baseUrl) =>
    call({
      imports: ['bytes', 'crypto/rand'],
      types: pet,
      request: `	body := []byte(\`{"name":"Mia","categoryId":3}\`)
	request, err := http.NewRequest("POST", "${baseUrl}/pets", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%x", key))
	request.Header.Set("Content-Type", "application/json")`,
      status: 'Created',
      result: 'mia Pet',
      print: 'mia.ID',
    }),
  getPet: (baseUrl) =>
    call({
      types: pet,
      request: newGet(`${baseUrl}/pets/1`),
      result: 'pet Pet',
      print: 'pet.Name',
    }),
  getRateLimit: (baseUrl) =>
    call({
      types: `type RateLimit struct {
	Plan    string \`json:"plan"\`
	Windows map[string]struct {
		Limit     int64 \`json:"limit"\`
		Remaining int64 \`json:"remaining"\`
	} \`json:"windows"\`
}`,
      request: newGet(`${baseUrl}/rate-limit`),
      result: 'state RateLimit',
      print: '"remaining:", state.Windows["minute"].Remaining, state.Windows["day"].Remaining',
    }),
  listOrders: (baseUrl) =>
    call({
      types: '// The shape of an order is not settled.\ntype Order map[string]any',
      request: newGet(`${baseUrl}/store/orders`),
      result: 'orders []Order',
      print: 'orders',
    }),
};

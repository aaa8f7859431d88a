import type { Operation } from '../operations.ts';

/** Python's standard library alone, so that a sample runs wherever Python is. Its integers are exact. */
const call = ({
  imports = [],
  request,
  read,
  print,
}: {
  imports?: readonly string[];
  request: string;
  read: string;
  print: string;
}) => `${['json', 'os', 'urllib.error', 'urllib.request', ...imports].map((name) => `import ${name}`).join('\n')}

request = urllib.request.Request(
${request}
)
try:
    with urllib.request.urlopen(request, timeout=30) as response:
${read}
except urllib.error.HTTPError as error:
    raise SystemExit(error.read().decode())
print(${print})
`;

const get = (url: string, name: string, print: string) =>
  call({
    request: `    "${url}",
    headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}"},`,
    read: `        ${name} = json.load(response)`,
    print,
  });

export const pythonSamples: Readonly<Record<Operation, (baseUrl: string) => string>> = {
  listPets: (baseUrl) =>
    call({
      request: `    "${baseUrl}/pets?status=available&limit=50",
    headers={"Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}"},`,
      read: `        pets = json.load(response)
        link = response.headers.get("Link")`,
      print: '[pet["name"] for pet in pets], link',
    }),
  createPet: (baseUrl) =>
    call({
      imports: ['uuid'],
      request: `    "${baseUrl}/pets",
    data=json.dumps({"name": "Mia", "categoryId": 3}).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['ANIMAL_STORE_API_KEY']}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    },`,
      read: '        mia = json.load(response)',
      print: 'mia["id"]',
    }),
  getPet: (baseUrl) => get(`${baseUrl}/pets/1`, 'pet', 'pet["name"]'),
  getRateLimit: (baseUrl) => get(`${baseUrl}/rate-limit`, 'state', 'state["windows"]'),
  listOrders: (baseUrl) => get(`${baseUrl}/store/orders`, 'orders', 'orders'),
};

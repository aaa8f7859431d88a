import { startScriptedServer } from '@animal-store/testkit';

const mia = { name: 'Mia', categoryId: 2 ** 53 - 1, status: 'available' };
const page = (id: number) => JSON.stringify([{ id, ...mia }]);

/** A request that a program sent: its method and path, and its `Idempotency-Key`. */
interface Sent {
  readonly line: string;
  readonly idempotencyKey: string | undefined;
}

/**
 * Starts an animal store that fails before it succeeds. The first creation gets no response, and
 * the second gets a 503. The first page of a list breaks off in the middle, and the second page is
 * denied once because the quota is used up.
 */
export async function startFailingStore() {
  const sent: Sent[] = [];
  const server = await startScriptedServer((response, { method, url = '', headers }) => {
    const line = `${method} ${url}`;
    const attempt = sent.push({ line, idempotencyKey: headers['idempotency-key']?.toString() });
    response.setHeader('Content-Type', 'application/json');
    const retryLater = (status: number) =>
      response.writeHead(status, { 'Retry-After': '1' }).end('{}');
    switch (attempt) {
      case 1:
        return response.destroy();
      case 2:
        return retryLater(503);
      case 3:
        return response.writeHead(201).end(JSON.stringify({ id: 1, ...mia }));
      case 4:
        response.writeHead(200, { 'Content-Length': page(1).length });
        return response.write(page(1).slice(0, 20), () => response.destroy());
      case 5: {
        const next = `<${server.baseUrl}/pets?cursor=2>; rel="next"`;
        return response.writeHead(200, { Link: next }).end(page(1));
      }
      case 6:
        return retryLater(429);
      default:
        return response.end(page(2));
    }
  });
  return Object.assign(server, { sent });
}

/**
 * The requests that {@link startFailingStore} must have received by the end of an example program.
 */
export const sentInTheEnd = [
  ...Array(3).fill('POST /v1/pets'),
  ...Array(2).fill('GET /v1/pets?status=available&limit=100'),
  ...Array(2).fill('GET /v1/pets?cursor=2'),
] as readonly string[];

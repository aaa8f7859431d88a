import type { Call } from './workloads.ts';

/** A call as it goes over the wire. */
export type HttpRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** How a target is called and how it answers. */
export type Protocol = {
  request(call: Call): HttpRequest;
  /** What it answers where REST says 201. */
  readonly createdStatus: number;
  /** Takes the result out of its envelope. */
  result(body: unknown): unknown;
};

function headersOf({ token, address, operation }: Call): Record<string, string> {
  return {
    Authorization: `Bearer ${token}`,
    ...(address !== undefined && { 'X-Forwarded-For': address }),
    ...(operation === 'create' && { 'Content-Type': 'application/json' }),
  };
}

export const rest: Protocol = {
  createdStatus: 201,
  result: (body) => body,
  request(call) {
    const headers = headersOf(call);
    switch (call.operation) {
      case 'list': {
        const status = call.status === undefined ? '' : `&status=${call.status}`;
        return { method: 'GET', path: `/v1/pets?limit=${call.limit}${status}`, headers };
      }
      case 'get':
        return { method: 'GET', path: `/v1/pets/${call.id}`, headers };
      case 'create': {
        const { name, categoryId } = call;
        const body = JSON.stringify({ name, categoryId });
        return { method: 'POST', path: '/v1/pets', headers, body };
      }
    }
  },
};

export const trpc: Protocol = {
  createdStatus: 200,
  result: (body) => (body as { result: { data: unknown } }).result.data,
  request(call) {
    const headers = headersOf(call);
    const query = (procedure: string, input: unknown) =>
      `/v1/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`;
    switch (call.operation) {
      case 'list': {
        const { limit, status } = call;
        return { method: 'GET', path: query('listPets', { limit, status }), headers };
      }
      case 'get':
        return { method: 'GET', path: query('getPet', call.id), headers };
      case 'create': {
        const { name, categoryId } = call;
        const body = JSON.stringify({ name, categoryId });
        return { method: 'POST', path: '/v1/createPet', headers, body };
      }
    }
  },
};

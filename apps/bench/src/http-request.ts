import type { Call } from './workloads.ts';

/** The parts of the HTTP request for a {@link Call}. */
export type HttpRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

function headersOf({ token, address, operation }: Call): Record<string, string> {
  return {
    Authorization: `Bearer ${token}`,
    ...(address !== undefined && { 'X-Forwarded-For': address }),
    ...(operation === 'create' && { 'Content-Type': 'application/json' }),
  };
}

/** Converts a call to the HTTP request that the service and the compared frameworks accept. */
export function httpRequestOf(call: Call): HttpRequest {
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
}

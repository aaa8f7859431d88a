import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { adminBasePath, adminContract } from '@animal-store/admin-contract';
import { ErrorBody, findLink } from '@animal-store/contract';
import { errorText } from '@animal-store/runtime';
import { z } from 'zod';
import { CliError, type ServerAccess } from './find-server.ts';
import type { AdminRequest } from './request-options.ts';

const timeoutMs = 30_000;

/**
 * The number of entries that the CLI requests on each page of a list. It is the maximum that the
 * API allows.
 */
const pageSize = 100;

export type OperationName = keyof typeof adminContract;

export type SuccessBody<Name extends OperationName> =
  (typeof adminContract)[Name]['responses'] extends
    | { 200: infer Schema extends z.ZodType }
    | { 201: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : never;

/**
 * Calls an operation of the admin API.
 *
 * @throws {CliError} for every failure.
 */
export async function callAdmin<Name extends OperationName>(
  access: ServerAccess,
  operation: Name,
  { params = {}, query = {}, body = {} }: Partial<AdminRequest>,
): Promise<{ body: SuccessBody<Name>; headers: Headers }> {
  const { method, path, responses, ...route } = adminContract[operation];
  for (const [name, value] of Object.entries(params)) {
    // A URL drops these names, so the request would go to another path.
    if (value === '.' || value === '..') {
      throw new CliError(`${name}: expected a name other than "." and ".."`);
    }
  }
  const url = new URL(
    `${adminBasePath}${path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name])))}`,
    'url' in access ? access.url : 'http://localhost',
  );
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const takesBody = 'body' in route && (route.body as unknown) instanceof z.ZodType;
  const answer = await send(access, url, method, takesBody ? JSON.stringify(body) : undefined);
  const schema = answer.status < 300 && (responses as Record<number, unknown>)[answer.status];
  if (!(schema instanceof z.ZodType)) throw refusalOf(answer);
  // The CLI checks the body, because another program may listen at this address and also respond
  // with 200. The check keeps properties that only a newer version of the service knows.
  const read = parseBody(answer);
  if (!schema.safeParse(read).success) {
    throw new CliError(
      `The program at ${access.name} does not respond like the admin API of this version. Check that the address belongs to the ops listener of the service, such as http://127.0.0.1:3001.`,
    );
  }
  return { body: read as SuccessBody<Name>, headers: answer.headers };
}

/** Reads the pages of a list until the limit is reached. */
export async function listAll(
  access: ServerAccess,
  operation: OperationName,
  { query }: AdminRequest,
): Promise<unknown[]> {
  const items: unknown[] = [];
  const limit = Number(query.limit ?? Number.POSITIVE_INFINITY);
  let cursor: string | undefined;
  do {
    const page = { ...query, limit: Math.min(pageSize, limit - items.length), cursor };
    const { body, headers } = await callAdmin(access, operation, { query: page });
    items.push(...(body as unknown[]));
    const next = findLink(headers.get('Link') ?? '', 'next');
    cursor = next && (new URLSearchParams(next.split('?')[1]).get('cursor') ?? undefined);
  } while (cursor !== undefined && items.length < limit);
  return items;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Sends one request. `fetch` is not used, because Node's `fetch` does not support Unix sockets and
 * follows redirects.
 */
async function send(
  access: ServerAccess,
  url: URL,
  method: string,
  body: string | undefined,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  let isSent = false;
  (url.protocol === 'https:' ? https : http)
    .request(url, {
      method,
      headers: {
        ...('token' in access && { Authorization: `Bearer ${access.token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      signal: AbortSignal.timeout(timeoutMs),
      ...('socketPath' in access && { socketPath: access.socketPath }),
    })
    .on('finish', () => {
      isSent = true;
    })
    .on('response', resolve)
    .on('error', reject)
    .end(body);
  try {
    const res = await promise;
    const headers = Object.entries(res.headersDistinct).map(
      ([name, values]) => [name, String(values)] as [string, string],
    );
    return { status: res.statusCode ?? 0, headers: new Headers(headers), text: await text(res) };
  } catch (error) {
    // The server may have made the change before the connection was lost. A second creation would
    // make another API key, whose first token nobody knows.
    if (isSent && method !== 'GET') {
      throw new CliError(
        `The response of ${access.name} was lost: ${reasonOf(error)}. The change may have been made. Check its result, for example with "npm run audit", before you run the command again.`,
      );
    }
    throw new CliError(
      `No server responds at ${access.name}: ${reasonOf(error)}. Check that the server is running and that the address is right.`,
    );
  }
}

/** Parses a JSON body; `undefined` if the body has another content type or is not valid JSON. */
function parseBody({ headers, text }: Answer): unknown {
  if (!headers.get('Content-Type')?.startsWith('application/json')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusalOf(answer: Answer): CliError {
  const { data: error } = ErrorBody.safeParse(parseBody(answer));
  switch (error?.code) {
    case undefined:
      return new CliError(
        `The server responded with the status ${answer.status} and no error message. Check that the address belongs to the ops listener of the service, such as http://127.0.0.1:3001.`,
      );
    case 'unauthorized':
      return new CliError(`${error?.message} Check ADMIN_TOKEN or --token-file.`);
    case 'not_found':
      return new CliError(
        'The address has no admin API. Check that the address belongs to the ops listener of the service, such as http://127.0.0.1:3001.',
      );
    default:
      return new CliError(error?.message ?? '');
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return `no response within ${timeoutMs} ms`;
  }
  return 'code' in error && typeof error.code === 'string' ? error.code : errorText(error);
}

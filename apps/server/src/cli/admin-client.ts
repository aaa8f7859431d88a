import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { ErrorBody } from '@animal-store/contract';
import { adminBasePath, adminContract } from '@animal-store/contract/admin';
import { type ApiFetcherArgs, type AppRoute, initClient } from '@ts-rest/core';
import { z } from 'zod';
import { CliError } from './cli-error.ts';
import type { ServerAccess } from './find-server.ts';

/** How long an answer may take, in milliseconds. */
const timeoutMs = 30_000;

export type AdminClient = ReturnType<typeof createAdminClient>;

/** A client of the admin API, typed by its contract. Its calls reject only with a CliError. */
export function createAdminClient(access: ServerAccess) {
  const { name } = access;
  const baseUrl = 'url' in access ? access.url : 'http://localhost';
  const baseHeaders: Record<string, string> =
    'token' in access ? { Authorization: `Bearer ${access.token}` } : {};
  const socketPath = 'socketPath' in access ? access.socketPath : undefined;
  return initClient(adminContract, {
    baseUrl: `${baseUrl}${adminBasePath}`,
    baseHeaders,
    api: async (request) => {
      const answer = await send(request, socketPath).catch((error: unknown) => {
        throw new CliError(`No server answers at ${name}: ${reasonOf(error)}. Is it running?`);
      });
      const body = parseBody(answer);
      requireContract(request.route, { status: answer.status, body }, name);
      return { ...answer, body };
    },
  });
}

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends one request. Not by `fetch`: Node's own takes no Unix socket, and would follow redirects. */
async function send(request: ApiFetcherArgs, socketPath: string | undefined): Promise<Response> {
  const url = new URL(request.path);
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  (url.protocol === 'https:' ? https : http)
    .request(url, {
      method: request.method,
      headers: request.headers,
      signal: AbortSignal.timeout(timeoutMs),
      ...(socketPath !== undefined && { socketPath }),
    })
    .on('response', resolve)
    .on('error', reject)
    .end(request.body);
  const res = await promise;
  return {
    status: res.statusCode ?? 0,
    headers: new Headers(
      Object.entries(res.headersDistinct).map(([name, values]) => [name, String(values)]),
    ),
    text: await text(res),
  };
}

/** The JSON of a body, or `undefined` for any other type and for JSON that is broken. */
function parseBody({ headers, text }: Response): unknown {
  if (!headers.get('Content-Type')?.startsWith('application/json')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Checks that a success has the shape that the contract promises: anything may listen there and say
 * 200. Members that a newer server adds stay in it.
 *
 * @throws {CliError} otherwise.
 */
function requireContract(
  { responses }: AppRoute,
  { status, body }: { status: number; body: unknown },
  name: string,
): void {
  const schema = status < 300 ? responses[status] : undefined;
  if (schema instanceof z.ZodType && !schema.safeParse(body).success) {
    throw new CliError(
      `What answers at ${name} is not the admin API of this version: is it an operators' listener?`,
    );
  }
}

/** What an operation answers when it succeeds. */
export type SuccessBody<Answer> = Answer extends { status: 200 | 201; body: infer Body }
  ? Body
  : never;

/**
 * The answer to a call, if it is a success.
 *
 * @throws {CliError} that says why the server refused the call.
 */
export async function expectSuccess<Answer extends { status: number; body: unknown }>(
  call: Promise<Answer>,
): Promise<Answer & { body: SuccessBody<Answer> }> {
  const answer = await call;
  // Other successes, such as a 204, are not the admin API's.
  if (answer.status === 200 || answer.status === 201) {
    return answer as Answer & { body: SuccessBody<Answer> };
  }
  const { data: error } = ErrorBody.safeParse(answer.body);
  if (error === undefined) {
    throw new CliError(`The server answered ${answer.status}: is it an operators' listener?`);
  }
  switch (error.code) {
    case 'unauthorized':
      throw new CliError(`${error.message} Check ADMIN_TOKEN or --token-file.`);
    case 'not_found':
      throw new CliError("There is no admin API at that address: is it the operators' listener?");
    default:
      throw new CliError(error.message);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return `nothing within ${timeoutMs} ms`;
  }
  // Several addresses were tried: the AggregateError has a code, but no message.
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

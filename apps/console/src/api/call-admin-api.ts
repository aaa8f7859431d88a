import type { adminContract } from '@animal-store/admin-contract';
import {
  adminBasePath,
  adminRoutes,
  operatorActiveHeader,
} from '@animal-store/admin-contract/routes';
import type { ClientInferRequest, ServerInferResponses } from '@ts-rest/core';
import { compareClocks } from './clock-difference.ts';
import { ConnectionFailure, LostResponse, RefusedRequest, SessionEnded } from './failures.ts';
import type { Operation } from './operation.ts';
import { takeActivity } from './operator-activity.ts';
import { queryText } from './query-text.ts';
import { expireSession, isExpired, session } from './session.ts';

type Contract = typeof adminContract;

type Body<Name extends Operation> =
  ClientInferRequest<Contract[Name]> extends { body?: infer Type } ? Type : undefined;
type Query<Name extends Operation> =
  ClientInferRequest<Contract[Name]> extends { query?: infer Type } ? Type : undefined;

/** The arguments of an admin API operation. */
export interface Input<Name extends Operation> {
  /** The id in the path, for operations whose path has one. */
  readonly id?: string;
  readonly query?: Query<Name> | undefined;
  readonly body?: Body<Name> | undefined;
  /**
   * The token to send instead of the session's token. Only the login passes a token here: the
   * operator's token, in exchange for which the service creates a session.
   */
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** The response body of a successful operation. */
export type Answer<Name extends Operation> = Extract<
  ServerInferResponses<Contract>[Name],
  { status: 200 | 201 }
>['body'];

/** One page of a list, as the admin API returns it. */
export interface Page<Body> {
  readonly body: Body;
  /** The cursor of the next page; `undefined` on the last page. */
  readonly nextCursor: string | undefined;
  /**
   * The number of entries on all pages, if the request asked for it with `count`. The service
   * counts up to a maximum. If there are more entries, the number is the maximum + 1.
   */
  readonly total: number | undefined;
}

/**
 * How long the console waits for a response, in milliseconds. The service gives up earlier, because
 * its timeout for SQL statements is shorter.
 */
const timeoutMs = 8_000;

/**
 * Calls an operation of the admin API.
 *
 * @throws {RefusedRequest} if the service refuses the request.
 * @throws {SessionEnded} if the session has ended.
 * @throws {ConnectionFailure} if the service does not respond.
 */
export async function call<Name extends Operation>(
  name: Name,
  input: Input<Name> = {},
): Promise<Answer<Name>> {
  return (await callForPage(name, input)).body;
}

/** Calls a list operation, and returns one page of the list. */
export async function callForPage<Name extends Operation>(
  name: Name,
  input: Input<Name> = {},
): Promise<Page<Answer<Name>>> {
  const response = await send(name, input);
  const body: unknown = await receive(name, response.json());
  const { headers } = response;
  const total = headers.get('X-Total-Count');
  return {
    body: body as Answer<Name>,
    nextCursor: cursorOf(headers.get('Link')),
    total: total === null ? undefined : Number(total),
  };
}

/** The list operations whose results have several pages. */
export type List = 'listKeys' | 'listAccounts' | 'listAuditEntries';

/**
 * The largest number of pages that one call fetches, for example for a CSV file. A page has at most
 * 100 rows.
 */
const maxPages = 100;

/**
 * Fetches all pages of a list.
 *
 * @throws {Error} if the list has more pages than the maximum.
 */
export async function callForAll<Name extends List>(
  name: Name,
  query: Readonly<Record<string, string | undefined>>,
): Promise<Answer<Name>[number][]> {
  const rows: Answer<Name>[number][] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const input = { query: { ...query, limit: '100', cursor } } as Input<Name>;
    const { body, nextCursor } = await callForPage(name, input);
    rows.push(...body);
    cursor = nextCursor;
    if (cursor === undefined) return rows;
  }
  throw new Error(
    `The list has more than ${maxPages * 100} entries, which is too many. Add filters, and try again.`,
  );
}

async function send<Name extends Operation>(
  name: Name,
  { id = '', query, body, token = session.value?.token, signal }: Input<Name>,
): Promise<Response> {
  const isOfSession = token === session.value?.token;
  // A request with an expired token is not sent, because the service would count it as an attempt
  // to guess a token.
  if (isOfSession && isExpired.value) throw new SessionEnded();
  const { method, path } = adminRoutes[name];
  const url = `${adminBasePath}${path.replace(/:\w+/, encodeURIComponent(id))}${queryText(query)}`;
  const sent = fetch(url, {
    method,
    headers: {
      Accept: 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(isOfSession && takeActivity() && { [operatorActiveHeader]: 'true' }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
  });
  const response = await receive(name, sent, signal);
  compareClocks(response);
  if (!response.ok) {
    if (response.status === 401 && token === session.value?.token) {
      expireSession();
      throw new SessionEnded();
    }
    throw new RefusedRequest(response.status, await receive(name, response.json()));
  }
  return response;
}

/** Waits for a response, or for its body. */
async function receive<Part>(
  name: Operation,
  part: Promise<Part>,
  signal?: AbortSignal,
): Promise<Part> {
  try {
    return await part;
  } catch (cause) {
    // The caller has cancelled the request, so the cancellation is not reported as a connection
    // failure.
    signal?.throwIfAborted();
    const Failure = adminRoutes[name].method === 'GET' ? ConnectionFailure : LostResponse;
    throw new Failure({ cause });
  }
}

/** Reads the cursor of the next page from a `Link` header (RFC 8288). */
function cursorOf(link: string | null): string | undefined {
  const [, target] = /<([^>]*)>; rel="next"/.exec(link ?? '') ?? [];
  if (target === undefined) return undefined;
  return new URL(target, location.href).searchParams.get('cursor') ?? undefined;
}

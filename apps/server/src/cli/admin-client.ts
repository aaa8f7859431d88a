import { ErrorBody } from '@animal-store/contract';
import { adminBasePath, adminContract } from '@animal-store/contract/admin';
import { type ApiFetcherArgs, type AppRoute, initClient, tsRestFetchApi } from '@ts-rest/core';
import { z } from 'zod';
import { CliError } from './cli-error.ts';
import type { ServerAccess } from './find-server.ts';

/** How long an answer may take, in milliseconds. */
const timeoutMs = 30_000;

export type AdminClient = ReturnType<typeof createAdminClient>;

/** A client of the admin API, typed by its contract. Its calls reject only with a CliError. */
export function createAdminClient({ url, token }: ServerAccess) {
  return initClient(adminContract, {
    baseUrl: `${url}${adminBasePath}`,
    baseHeaders: { Authorization: `Bearer ${token}` },
    api: async (request) => {
      const answer = await exchange(request, url);
      requireContract(request.route, answer, url);
      return answer;
    },
  });
}

async function exchange(request: ApiFetcherArgs, url: string) {
  try {
    return await tsRestFetchApi({
      ...request,
      fetchOptions: { signal: AbortSignal.timeout(timeoutMs) },
    });
  } catch (error) {
    // What calls itself JSON and is none.
    if (error instanceof SyntaxError) throw notTheAdminApi(url);
    throw new CliError(`No server answers at ${url}: ${reasonOf(error)}. Is it running?`);
  }
}

/**
 * Whatever listens may say 200. Its answer is looked at before anybody works with it; members that a
 * newer server adds are left in it.
 *
 * @throws {CliError} if a success is not one of the contract's.
 */
function requireContract(
  { responses }: AppRoute,
  { status, body }: { status: number; body: unknown },
  url: string,
): void {
  const schema = status < 300 ? responses[status] : undefined;
  if (schema instanceof z.ZodType && !schema.safeParse(body).success) throw notTheAdminApi(url);
}

function notTheAdminApi(url: string): CliError {
  return new CliError(
    `What answers at ${url} is not the admin API of this version: is it an operators' listener?`,
  );
}

/**
 * The answer to a call, if it has the one status that means success.
 *
 * @throws {CliError} that says what the server said, otherwise.
 */
export async function expectStatus<
  Answer extends { status: number; body: unknown },
  Status extends Answer['status'],
>(call: Promise<Answer>, status: Status): Promise<Extract<Answer, { status: Status }>> {
  const answer = await call;
  if (answer.status === status) return answer as Extract<Answer, { status: Status }>;
  const { data: error } = ErrorBody.safeParse(answer.body);
  if (error === undefined) {
    throw new CliError(`The server answered ${answer.status}: is it an operators' listener?`);
  }
  switch (error.code) {
    case 'unauthorized':
      throw new CliError(`${error.message} The server may have been given another ADMIN_TOKEN.`);
    case 'not_found':
      throw new CliError('The server has no admin API: it takes an ADMIN_TOKEN to have one.');
    default:
      throw new CliError(error.message);
  }
}

function reasonOf(error: unknown): string {
  // undici's own message is "fetch failed"; what failed is its cause.
  const { cause = error } = error as { cause?: unknown };
  if (!(cause instanceof Error)) return String(cause);
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause.name === 'TimeoutError' ? `nothing within ${timeoutMs} ms` : cause.message;
}

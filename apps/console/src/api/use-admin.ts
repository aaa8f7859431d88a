import {
  hashKey,
  keepPreviousData,
  queryOptions,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/preact-query';
import {
  freshForMs,
  periodQueryOf,
  subjectOf,
  type TimeRange,
} from '../components/time/time-range.ts';
import { type Answer, callForPage, type Input, type Page } from './call-admin-api.ts';
import type { Operation } from './operation.ts';
import { isExpired } from './session.ts';

/**
 * How often a visible page polls, in milliseconds. The data on the page is then at most about 5 s
 * old, and the page sends 12 to 13 requests a minute.
 */
export const pollMs = 4_800;

type Params<Name extends Operation> = Pick<Input<Name>, 'id' | 'query'>;

/** A result of the admin API for a component. */
export interface AdminAnswer<Name extends Operation> extends Page<Answer<Name>> {
  /**
   * The operation and the parameters of the request, as a string. While a new result loads, the
   * previous result stays visible, so components use this string to find out to which request the
   * result belongs.
   */
  readonly subject: string;
}

/** Creates a query of the admin API. Its cache key is the operation and the parameters. */
function adminQuery<Name extends Operation>(operation: Name, params: Params<Name> = {}) {
  return queryOptions({
    queryKey: [operation, params],
    queryFn: async ({ signal, queryKey }): Promise<AdminAnswer<Name>> => ({
      ...(await callForPage(operation, { ...params, signal })),
      subject: hashKey(queryKey),
    }),
  });
}

/**
 * Polls the admin API while the page is visible and the session lasts. When the parameters change,
 * the previous result stays visible until the new one arrives.
 *
 * @param options.isPolled whether to poll. Even without polling, the result is fetched again when
 *   the page becomes visible, and after each change that the page makes.
 */
export function useAdmin<Name extends Operation>(
  operation: Name,
  params: Params<Name> = {},
  { isEnabled = true, isPolled = true }: { isEnabled?: boolean; isPolled?: boolean } = {},
): UseQueryResult<AdminAnswer<Name>> {
  return useQuery({
    ...adminQuery(operation, params),
    enabled: isEnabled && !isExpired.value,
    refetchInterval: isPolled && pollMs,
    placeholderData: keepPreviousData,
  });
}

/** The operations that can return a history with the current state. */
type OperationWithHistory = 'getAccount' | 'getKey' | 'getOverview';

/** A result that includes the history of a period. */
export type WithHistory<Name extends OperationWithHistory> = Answer<Name> & {
  readonly history: NonNullable<Answer<Name>['history']>;
};

/**
 * Fetches the current state and the history of a period in one request. The history is fetched
 * again only when it may have changed, because it is large.
 */
export function useAdminWithHistory<Name extends OperationWithHistory>(
  operation: Name,
  params: Pick<Params<Name>, 'id'>,
  range: TimeRange,
): UseQueryResult<WithHistory<Name>> {
  const client = useQueryClient();
  const queryKey = [operation, params, subjectOf(range)];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      // The clock of the machine may be set back. With `Date.now()`, the plots would then show the
      // same history until the clock has caught up.
      const at = performance.now();
      const known = client.getQueryState<{ answer: WithHistory<Name>; at: number }>(queryKey);
      const kept = known?.isInvalidated ? undefined : known?.data;
      const isDue = kept === undefined || at - kept.at >= freshForMs(range);
      const question = isDue ? { include: 'history', ...periodQueryOf(range) } : {};
      const input = { ...params, query: question, signal } as Input<Name>;
      const { body } = await callForPage(operation, input);
      const history = body.history ?? kept?.answer.history;
      if (history === undefined)
        throw new Error('The service did not return the requested history. Reload the page.');
      return { answer: { ...body, history } as WithHistory<Name>, at: isDue ? at : kept.at };
    },
    select: ({ answer }) => answer,
    enabled: !isExpired.value,
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
  });
}

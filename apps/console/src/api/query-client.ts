import { effect, signal } from '@preact/signals';
import { focusManager, MutationCache, QueryCache, QueryClient } from '@tanstack/preact-query';
import { ConnectionFailure, SessionEnded } from './failures.ts';
import { session } from './session.ts';

/**
 * The time when the service stopped responding, in Unix milliseconds; `undefined` while it
 * responds.
 */
export const unreachableSince = signal<number | undefined>(undefined);

/**
 * Creates the cache for results of the admin API. After each change, even a failed one, the visible
 * page fetches all its data again.
 */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onSuccess: () => {
        unreachableSince.value = undefined;
      },
      onError: (error) => {
        if (error instanceof ConnectionFailure) unreachableSince.value ??= Date.now();
        else if (!(error instanceof SessionEnded)) unreachableSince.value = undefined;
      },
    }),
    mutationCache: new MutationCache({ onSettled: () => client.invalidateQueries() }),
    defaultOptions: {
      // Requests are sent even if the browser reports that it is offline, because the service may
      // run on the same machine as the browser. Failed requests are not retried here, because the
      // next poll repeats them.
      queries: { networkMode: 'always', retry: false },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

/** Makes a page fetch all its data again when it becomes visible. */
export function watchVisibility(): void {
  focusManager.setEventListener((onFocus) => {
    const onChange = () => onFocus();
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  });
}

/** Clears all cached results when the session of an operator ends. */
export function forgetAtLogout(client: QueryClient): void {
  effect(() => {
    if (session.value === undefined) client.clear();
  });
}

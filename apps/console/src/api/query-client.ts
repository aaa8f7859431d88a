import { effect, signal } from '@preact/signals';
import { focusManager, MutationCache, QueryCache, QueryClient } from '@tanstack/preact-query';
import { ConnectionFailure, SessionEnded } from './failures.ts';
import { session } from './session.ts';

/** Since when the service does not answer, in Unix milliseconds; `undefined` while it does. */
export const unreachableSince = signal<number | undefined>(undefined);

/** Creates the cache of answers of the admin API. After each change, also a failed one, the page fetches everything again. */
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
      // The service may run on this machine, so a browser that is offline asks, too. What fails is asked for again by
      // polling.
      queries: { networkMode: 'always', retry: false },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

/** Has all that a page shows be asked for as soon as the page becomes visible. */
export function watchVisibility(): void {
  focusManager.setEventListener((onFocus) => {
    const onChange = () => onFocus();
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  });
}

/** Has all answers be forgotten when the session of an operator ends. */
export function forgetAtLogout(client: QueryClient): void {
  effect(() => {
    if (session.value === undefined) client.clear();
  });
}

// The options of an infinite list. In React, pass them to `useInfiniteQuery`.

import type { AnimalStoreClient, Page } from '@animal-store/client';

export function infinitePets(store: AnimalStoreClient, status?: 'available' | 'pending' | 'sold') {
  return {
    queryKey: ['pets', status],
    queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) =>
      store.listPets({ status, limit: 2, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (lastPage: Page) => lastPage.nextCursor,
    // Retries of TanStack Query are off, because the client has already retried.
    retry: false,
  };
}

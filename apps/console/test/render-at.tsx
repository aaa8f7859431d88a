import { QueryClientProvider } from '@tanstack/preact-query';
import { cleanup, render } from '@testing-library/preact';
import type { ComponentChildren } from 'preact';
import { onTestFinished } from 'vitest';
import { Router } from 'wouter-preact';
import { useHashPath, useHashSearch } from '../src/address.ts';
import { createQueryClient, unreachableSince } from '../src/api/query-client.ts';

/** Renders a part of the console at an address. The rendered part is removed when the test ends. */
export function renderAt(link: string, part: ComponentChildren) {
  location.hash = link;
  // All test files share this module. A failed request of an earlier test must not show an outage.
  unreachableSince.value = undefined;
  const client = createQueryClient();
  onTestFinished(() => {
    cleanup();
    client.clear();
    location.hash = '';
  });
  return render(
    <QueryClientProvider client={client}>
      <Router hook={useHashPath} searchHook={useHashSearch}>
        {part}
      </Router>
    </QueryClientProvider>,
  );
}

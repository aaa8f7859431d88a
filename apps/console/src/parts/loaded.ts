import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { ConnectionFailure, RefusedRequest } from '../failures.ts';
import type { Polled } from '../polling.ts';
import { route } from '../route.ts';

/**
 * What was asked for; until it is there, that it is on its way; if it failed, why, and what to do.
 *
 * @param what names it, such as "the keys".
 */
export function Loaded<Data>({
  of,
  what,
  children,
}: {
  of: Polled<Data>;
  what: string;
  children: (data: Data) => ComponentChildren;
}) {
  const { data, failure, refresh } = of;
  if (data === undefined) {
    return failure === undefined
      ? html`<p class="state" role="status">Loading ${what}…</p>`
      : html`<${Failure} failure=${failure} what=${what} retry=${refresh} />`;
  }
  // The bar at the top says that the service does not answer, and since when.
  const isOutdated = failure !== undefined && !(failure instanceof ConnectionFailure);
  return html`
    ${isOutdated && html`<${Failure} failure=${failure} what=${what} retry=${refresh} />`}
    ${children(data)}
  `;
}

/** Why something failed, and what to do. */
function Failure({ failure, what, retry }: { failure: Error; what: string; retry: () => void }) {
  return html`<div class="state failed" role="alert">
    <p><strong>Could not load ${what}.</strong> ${failure.message}</p>
    <p>${adviceFor(failure)}</p>
    <button type="button" onClick=${retry}>Try again</button>
  </div>`;
}

function adviceFor(failure: Error): string {
  if (failure instanceof ConnectionFailure) {
    return 'Check that the service runs and that your tunnel to it is open. This page tries again by itself.';
  }
  if (!(failure instanceof RefusedRequest)) return 'Reload the page. If it fails again, report it.';
  switch (failure.status) {
    case 400:
      return route.value.id === undefined
        ? 'The address of this page asks for something that does not exist. Reset the filters.'
        : 'The address of this page is not complete, or mistyped. Look for it in the list.';
    case 403:
      return 'Ask an owner to do it, or for a token with that role.';
    case 404:
      return 'Check the id, or look for it in the list.';
    case 429:
      return 'Wait a moment.';
    case 503:
      return 'The database does not answer. This page tries again by itself.';
    default:
      return 'The log of the service says more. This page tries again by itself.';
  }
}

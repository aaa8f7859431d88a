import { linkHere, useAllParameters } from '../../address.ts';
import { formatCount } from '../time/format.ts';

/** The largest count of the service. */
const maxCounted = 10_000;

/**
 * Shows the length of a list, and links to its next page and its first page. The browser's back
 * button leads to the previous page.
 */
export function Pager({
  nextCursor,
  total,
}: {
  nextCursor: string | undefined;
  total?: number | undefined;
}) {
  const isFirst = useAllParameters().cursor === undefined;
  const count = total !== undefined && total > 0 && (
    <p class="muted">
      {total > maxCounted ? `more than ${formatCount(maxCounted)}` : formatCount(total)} in total
    </p>
  );
  if (isFirst && nextCursor === undefined) return count;
  return (
    <>
      {count}
      <nav class="pager" aria-label="Pages of the list">
        {!isFirst && <a href={linkHere({ cursor: '' })}>First page</a>}
        {nextCursor !== undefined && (
          <a rel="next" href={linkHere({ cursor: nextCursor })}>
            Next page
          </a>
        )}
      </nav>
    </>
  );
}

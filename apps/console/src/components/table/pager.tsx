import { linkHere, useAllParameters } from '../../address.ts';
import { formatCount } from '../time/format.ts';

/** The largest number of rows that the service counts. */
const maxCounted = 10_000;

/**
 * Shows the number of rows, and links to the next page and the first page. There is no link to the
 * previous page, because the browser's back button opens it.
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

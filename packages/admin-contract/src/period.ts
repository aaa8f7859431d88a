import type { z } from 'zod';

interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Checks that a period in a query starts before it ends. Without this check, the response would be
 * an empty report or list, which looks as if nothing had happened. The times are compared as texts,
 * because the schema has converted both to UTC.
 */
export function startsBeforeEnd({ value: { from, to }, issues }: z.core.ParsePayload<Period>) {
  if (from === undefined || to === undefined || from < to) return;
  const message = 'expected a time before the end of the period';
  issues.push({ code: 'custom', path: ['from'], input: from, message });
}

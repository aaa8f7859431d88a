import { useEffect, useRef } from 'preact/hooks';
import {
  freshForMs,
  questionOf,
  subjectOf,
  type TimeRange,
} from '../components/time/time-range.ts';
import { type Polled, usePolling } from './polling.ts';

/** What the admin API is asked for, besides what happens now. */
export type HistoryQuestion =
  | Record<string, never>
  | ({ readonly include: 'history' } & ReturnType<typeof questionOf>);

/** An answer with what happened before. */
export type WithHistory<Answer extends { readonly history?: unknown }> = Answer & {
  readonly history: NonNullable<Answer['history']>;
};

/**
 * Asks for what happens now and what happened in a span of time, with one request. What was answered of the
 * past is shown until it may have changed. When the range changes, the page stays until the answer is there.
 */
export function useHistory<Answer extends { readonly history?: unknown }>(
  subject: string,
  range: TimeRange,
  load: (question: HistoryQuestion, signal: AbortSignal) => Promise<Answer>,
): Polled<WithHistory<Answer>> {
  type History = NonNullable<Answer['history']>;
  const latest = useRef<{ subject: string; at: number; history: History } | undefined>(undefined);
  const whole = `${subject} ${subjectOf(range)}`;
  const polled = usePolling(subject, async (signal) => {
    const known = latest.current?.subject === whole ? latest.current : undefined;
    const at = Date.now();
    const isDue = known === undefined || at - known.at >= freshForMs(range, at);
    const question = isDue ? { include: 'history' as const, ...questionOf(range) } : {};
    const answer = await load(question, signal);
    const history = (answer.history as History | undefined) ?? known?.history;
    if (history === undefined) throw new Error('The answer lacks the history that was asked for.');
    if (isDue) latest.current = { subject: whole, at, history };
    return { ...answer, history };
  });

  const asked = useRef(whole);
  useEffect(() => {
    if (asked.current === whole) return;
    asked.current = whole;
    polled.refresh();
  }, [whole]);

  const refresh = () => {
    latest.current = undefined;
    polled.refresh();
  };
  return { ...polled, refresh };
}

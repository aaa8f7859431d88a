import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ConnectionFailure, SessionEnded } from './failures.ts';
import { isExpired } from './session.ts';

/** What a page knows of what it shows. */
export interface Polled<Data> {
  /** The latest answer; `undefined` before the first one. */
  readonly data: Data | undefined;
  /** Why the latest attempt failed; `undefined` if it did not. */
  readonly failure: Error | undefined;
  /** Asks at once, such as after a change. */
  readonly refresh: () => void;
}

/** How often pages ask: 20 times a minute. */
const pollMs = 3_000;

/** Since when the service does not answer, in Unix milliseconds; `undefined` while it does. */
export const unreachableSince = signal<number | undefined>(undefined);

/**
 * Asks again and again, while the page is visible and the session lasts.
 *
 * @param subject what is asked about, as a text: another subject begins anew.
 * @param load asks once.
 */
export function usePolling<Data>(
  subject: string,
  load: (signal: AbortSignal) => Promise<Data>,
): Polled<Data> {
  const [state, setState] = useState<{ subject: string; data?: Data; failure?: Error }>({
    subject,
  });
  const latestLoad = useRef(load);
  latestLoad.current = load;
  const refresh = useRef(() => {});

  const isPaused = isExpired.value;

  useEffect(() => {
    if (isPaused) return;
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asking = false;
    let askAgain = false;

    async function ask(): Promise<void> {
      clearTimeout(timer);
      if (asking) {
        // What is on its way may be older than the change.
        askAgain = true;
        return;
      }
      asking = true;
      try {
        const data = await latestLoad.current(ended.signal);
        if (ended.signal.aborted) return;
        unreachableSince.value = undefined;
        setState({ subject, data });
      } catch (error) {
        if (ended.signal.aborted || error instanceof SessionEnded) return;
        const failure = error instanceof Error ? error : new Error(String(error));
        if (failure instanceof ConnectionFailure) unreachableSince.value ??= Date.now();
        else unreachableSince.value = undefined;
        // What was shown stays, with the failure.
        setState((last) =>
          last.subject === subject ? { ...last, failure } : { subject, failure },
        );
      } finally {
        asking = false;
      }
      if (askAgain) {
        askAgain = false;
        return ask();
      }
      schedule();
    }

    function schedule(): void {
      if (document.visibilityState === 'visible') timer = setTimeout(ask, pollMs);
    }

    function onVisibility(): void {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') void ask();
    }

    refresh.current = () => void ask();
    document.addEventListener('visibilitychange', onVisibility, { signal: ended.signal });
    void ask();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [subject, isPaused]);

  const { data, failure } = state.subject === subject ? state : {};
  return { data, failure, refresh: () => refresh.current() };
}

import { tracingChannel } from 'node:diagnostics_channel';

/** A call that a tracing channel told of, once it has settled. */
export interface Call<Context> {
  readonly context: Context;
  readonly seconds: number;
  /** What it was rejected with. */
  readonly error: unknown;
}

// On the context itself: a WeakMap of every call in flight is what the garbage collector likes least.
const startedAt = Symbol('startedAt');

/**
 * Tells of every call that a tracing channel of Node's follows.
 *
 * @param onStart called when a call begins.
 * @returns what ends it.
 */
export function watchChannel<Context extends object>(
  name: string,
  onSettled: (call: Call<Context>) => void,
  onStart?: () => void,
): () => void {
  const { start, asyncEnd } = tracingChannel(name);
  type Watched = Context & { [startedAt]?: number; error?: unknown };

  const noteStart = (message: unknown) => {
    (message as Watched)[startedAt] = performance.now();
    onStart?.();
  };
  const noteEnd = (message: unknown) => {
    const context = message as Watched;
    const began = context[startedAt];
    if (began === undefined) return;
    onSettled({ context, seconds: (performance.now() - began) / 1000, error: context.error });
  };
  start.subscribe(noteStart);
  asyncEnd.subscribe(noteEnd);
  return () => {
    start.unsubscribe(noteStart);
    asyncEnd.unsubscribe(noteEnd);
  };
}

import { tracingChannel } from 'node:diagnostics_channel';

/** A call that a tracing channel told of, once it has settled. */
export interface Call<Context> {
  readonly context: Context;
  readonly seconds: number;
  /** What it was rejected with. */
  readonly error: unknown;
}

/**
 * Tells of every call that a tracing channel of Node's follows.
 *
 * @returns what ends it.
 */
export function watchChannel<Context extends object>(
  name: string,
  onSettled: (call: Call<Context>) => void,
): () => void {
  const { start, asyncEnd } = tracingChannel<unknown, Context & { error?: unknown }>(name);
  const begun = new WeakMap<object, number>();
  const noteStart = (context: object) => {
    begun.set(context, performance.now());
  };
  const noteEnd = (message: unknown) => {
    const context = message as Context & { error?: unknown };
    const startedAt = begun.get(context);
    if (startedAt === undefined) return;
    onSettled({
      context,
      seconds: (performance.now() - startedAt) / 1000,
      error: context.error,
    });
  };
  start.subscribe(noteStart as (message: unknown) => void);
  asyncEnd.subscribe(noteEnd);
  return () => {
    start.unsubscribe(noteStart as (message: unknown) => void);
    asyncEnd.unsubscribe(noteEnd);
  };
}

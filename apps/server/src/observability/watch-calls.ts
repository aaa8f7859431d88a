import { tracingChannel } from 'node:diagnostics_channel';

/**
 * Watches the calls that a tracing channel of Node's tells of.
 *
 * @param onStart called when a call begins. What it returns is called once the call has settled, with the
 * error if it failed.
 * @returns stops watching.
 */
export function watchCalls<Call extends object>(
  channel: string,
  onStart: (call: Call) => ((error: unknown) => void) | undefined,
): () => void {
  const { start, asyncEnd } = tracingChannel(channel);
  // On the call itself: a WeakMap of every call in flight is what the garbage collector likes least.
  const onEnd = Symbol(channel);
  type Watched = Call & { [onEnd]?: ReturnType<typeof onStart>; error?: unknown };

  const noteStart = (message: unknown) => {
    const call = message as Watched;
    call[onEnd] = onStart(call);
  };
  const noteEnd = (message: unknown) => {
    const call = message as Watched;
    call[onEnd]?.(call.error);
  };
  start.subscribe(noteStart);
  asyncEnd.subscribe(noteEnd);
  return () => {
    start.unsubscribe(noteStart);
    asyncEnd.unsubscribe(noteEnd);
  };
}

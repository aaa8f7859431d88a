import { tracingChannel } from 'node:diagnostics_channel';

/**
 * Observes the calls that a tracing channel of Node reports.
 *
 * @param onStart a function that is called when a call begins. It returns another function, which
 * is called with the error (or `undefined`) when the call has settled.
 * @returns a function that stops the observation.
 */
export function watchCalls<Call extends object>(
  channel: string,
  onStart: (call: Call) => ((error: unknown) => void) | undefined,
): () => void {
  const { start, asyncEnd } = tracingChannel(channel);
  // The callback is a property of the object that describes the call. A WeakMap of all calls in
  // flight would slow down garbage collection.
  const onEnd = Symbol(channel);
  type Watched = Call & { [onEnd]?: ReturnType<typeof onStart>; error?: unknown };

  const onCallStart = (message: unknown) => {
    const call = message as Watched;
    call[onEnd] = onStart(call);
  };
  const onCallEnd = (message: unknown) => {
    const call = message as Watched;
    call[onEnd]?.(call.error);
  };
  start.subscribe(onCallStart);
  asyncEnd.subscribe(onCallEnd);
  return () => {
    start.unsubscribe(onCallStart);
    asyncEnd.unsubscribe(onCallEnd);
  };
}

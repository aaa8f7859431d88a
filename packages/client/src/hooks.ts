import type { ClientOptions, Hook, Logger } from './client-options.ts';
import type { CallEvent, DeprecationEvent } from './events.ts';

/**
 * Calls a hook, and logs what it is told. Neither can fail a call.
 *
 * @param log the level and the text of a line for the logger, if there should be one.
 */
export type Hooks = <Event extends CallEvent | DeprecationEvent>(
  name: string,
  hook: Hook<Event> | undefined,
  event: Event,
  log?: [level: keyof Logger, text: string],
) => void;

export function createHooks({ logger }: ClientOptions): Hooks {
  return (name, hook, event, log) => {
    const run = (action: () => unknown) =>
      new Promise((resolve) => resolve(action()))
        .catch((error) => (logger ?? console).error(`Animal Store: ${name} failed: ${error}`))
        // Nothing is left that could be told of it.
        .catch(() => {});
    run(() => hook?.(event));
    run(() => log && logger?.[log[0]](`${event.operation}: ${log[1]}`));
  };
}

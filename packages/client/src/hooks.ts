import type { ClientOptions, Hook, Logger } from './client-options.ts';
import type {
  DeprecationEvent,
  ErrorEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from './events.ts';

interface Events {
  onRequest: RequestEvent;
  onResponse: ResponseEvent;
  onRetry: RetryEvent;
  onError: ErrorEvent;
  onDeprecation: DeprecationEvent;
}

/**
 * Calls a hook, and logs what it is told. Neither can fail a call.
 *
 * @param log the level and the text of a line for the logger, if there should be one.
 */
export type Tell = <Name extends keyof Events>(
  name: Name,
  event: Events[Name],
  log?: [level: keyof Logger, text: string],
) => void;

export function createTell(options: ClientOptions): Tell {
  const { logger } = options;
  const hooks: { [Name in keyof Events]?: Hook<Events[Name]> | undefined } = options;
  return (name, event, log) => {
    const run = (action: () => unknown) =>
      new Promise((resolve) => resolve(action()))
        .catch((error) => (logger ?? console).error(`Animal Store: ${name} failed: ${error}`))
        // Nothing is left that could be told of it.
        .catch(() => {});
    run(() => hooks[name]?.(event));
    run(() => log && logger?.[log[0]](`${event.operation}: ${log[1]}`));
  };
}

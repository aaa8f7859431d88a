import type { ClientOptions, Hook } from './client-options.ts';
import type {
  CallEvent,
  DeprecationEvent,
  ErrorEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from './events.ts';

interface Events {
  onRequest: RequestEvent;
  onResponse: ResponseEvent;
  onRetry: RetryEvent;
  onWait: WaitEvent;
  onError: ErrorEvent;
  onDeprecation: DeprecationEvent;
}

/** Calls a hook, and writes a line to the logger. Neither can fail a call. */
export type Tell = <Name extends keyof Events>(name: Name, event: Events[Name]) => void;

/** Creates the same function for one call, and adds the facts of the call. */
export type TellOfCall = <Name extends Exclude<keyof Events, 'onDeprecation'>>(
  name: Name,
  event: Omit<Events[Name], keyof CallEvent>,
) => void;

export function createTell(options: ClientOptions): Tell {
  const { logger } = options;
  const hooks: { [Name in keyof Events]?: Hook<Events[Name]> | undefined } = options;
  return (name, event) => {
    const run = (action: () => unknown) =>
      new Promise((resolve) => resolve(action()))
        .catch((error) => (logger ?? console).error(`Animal Store: ${name} failed: ${error}`))
        // The logger itself has failed, so nothing else can report it.
        .catch(() => {});
    if (hooks[name]) run(() => hooks[name]?.(event));
    const level = name === 'onError' ? 'error' : /^on(Retry|Wait)/.test(name) ? 'warn' : 'debug';
    const message = `Animal Store ${name.slice(2)} ${event.operation}${describe(event)}`;
    if (logger) run(() => logger[level](message, event));
  };
}

/** Formats the facts of an event as text, for loggers such as pino that drop a second argument. */
function describe(event: object): string {
  const { error, ...rest } = event as Partial<ErrorEvent>;
  const facts = Object.entries(rest).flatMap(([name, value]) =>
    /^(status|attempt|durationMs|delayMs|reason|queued|requestId)$/.test(name) &&
    value !== undefined
      ? [` ${name}=${typeof value === 'number' ? Math.ceil(value) : value}`]
      : [],
  );
  return facts.join('') + (error ? `: ${error.message}` : '');
}

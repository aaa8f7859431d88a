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

/**
 * A function that calls the hook of an event, and writes a line to the logger. A failure of the
 * hook or of the logger does not fail the call.
 */
export type ReportEvent = <Name extends keyof Events>(name: Name, event: Events[Name]) => void;

/**
 * A `ReportEvent` function for the events of one call. It adds the facts about the call to each
 * event.
 */
export type ReportCallEvent = <Name extends Exclude<keyof Events, 'onDeprecation'>>(
  name: Name,
  event: Omit<Events[Name], keyof CallEvent>,
) => void;

export function createReportEvent(options: ClientOptions): ReportEvent {
  const { logger } = options;
  const hooks: { [Name in keyof Events]?: Hook<Events[Name]> | undefined } = options;
  return (name, event) => {
    const run = (action: () => unknown) =>
      new Promise((resolve) => resolve(action()))
        .catch((error) =>
          (logger ?? console).error(`Animal Store: hook or logger ${name} failed: ${error}`),
        )
        // The logger itself has failed, so the failure cannot be reported anywhere.
        .catch(() => {});
    if (hooks[name]) run(() => hooks[name]?.(event));
    const level = name === 'onError' ? 'error' : /^on(Retry|Wait)/.test(name) ? 'warn' : 'debug';
    const message = `Animal Store ${name.slice(2)} ${event.operation}${describe(event)}`;
    if (logger) run(() => logger[level](message, event));
  };
}

/**
 * Formats the facts of an event as text. The text is needed because some loggers, such as pino,
 * ignore the second argument, which is the event.
 */
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

import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';

/** What is told of a statement: its name in our code, never its parameters. */
export interface StatementContext {
  readonly statement: string;
}

/**
 * Tells whoever listens of every statement. It is a channel of Node's, as ioredis has one too, so
 * that repositories need not know of metrics and traces; without a listener it costs nothing.
 */
export const statementChannel: TracingChannel<unknown, StatementContext> = tracingChannel<
  unknown,
  StatementContext
>('animal-store:statement');

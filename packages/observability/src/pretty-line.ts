import { styleText } from 'node:util';
import { escapeUnprintable } from '@animal-store/runtime';

type Style = Parameters<typeof styleText>[0];

const levelStyles: Readonly<Record<string, Style>> = {
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};

/**
 * Formats a JSON log line for people, such as `12:30:01 info  request method=GET …`.
 *
 * The function replaces pino-pretty, which depends on fifteen packages.
 */
export function prettyLine(line: string): string {
  const { time, level, msg, error, ...fields } = JSON.parse(line);
  const parts = [
    paint('dim', timeOfDay(new Date(time))),
    paint(levelStyles[level] ?? 'dim', String(level).padEnd(5)),
    msg,
    ...flatten(fields).map(
      ([name, value]) => `${paint('dim', `${name}=`)}${escapeUnprintable(value)}`,
    ),
  ];
  const stack = error === undefined ? '' : `${escapeUnprintable(error.stack ?? error.type)}\n`;
  return `${parts.join(' ')}\n${stack}`;
}

function flatten(fields: object, prefix = ''): [name: string, value: string][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? flatten(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, String(value)]],
  );
}

function paint(style: Style, text: string): string {
  // `styleText` returns the text without colors if NO_COLOR is set or stderr is not a terminal.
  return styleText(style, text, { stream: process.stderr });
}

/**
 * Formats the local time as `12:30:01`. The function does not use `Intl`, which would add 15 ms to
 * each start, even without a terminal.
 */
function timeOfDay(time: Date): string {
  return time.toTimeString().slice(0, 8);
}

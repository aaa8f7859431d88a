import { InvalidArgumentError } from 'commander';

/** Says in the help which times an option accepts. */
export const durationsAndTimes =
  '90d, 24h, … by the clock of this machine, or 2027-01-31T00:00:00Z';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Parses a duration such as `90d`, and returns seconds. `0` needs no unit. */
function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = unitSeconds[unit];
  return seconds === undefined ? undefined : Number(count) * seconds;
}

/** Parses a duration, and returns seconds. */
export function readSeconds(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return seconds;
  throw new InvalidArgumentError(
    'Expected 0, or a number with a unit (s, m, h or d), such as 90d or 24h.',
  );
}

const readPattern = (pattern: RegExp, expected: string) => (text: string) => {
  const [, found] = pattern.exec(text) ?? [];
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`Expected ${expected}.`);
};

/**
 * Parses a whole number as strictly as JSON does. `Number` would also accept `0x10`, `1e3` and
 * spaces.
 */
export const readInteger = (text: string) =>
  Number(readPattern(/^(-?(?:0|[1-9]\d{0,15}))$/, 'a whole number')(text));
/** Parses the largest number of entries. */
export const readLimit = readPattern(/^([1-9]\d{0,9})$/, 'a whole number of at least 1');
/** Parses a number of days, and returns the number as text. */
export const readDays = readPattern(/^(\d+)d$/, 'a number of days, such as 90d');

/**
 * Matches a date and time with an offset (RFC 3339). `Date.parse` alone would accept many other
 * formats.
 */
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Returns whether the day of a date and time exists. `Date.parse` reads February 30 as March 2, so
 * an API key would expire on another day than the operator has written.
 */
function isRealDay(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** Parses a time, or a duration that is counted from now into the future or into the past. */
export function readInstant(text: string, direction: 1 | -1): string {
  const seconds = parseDuration(text);
  const at = seconds === undefined ? Date.parse(text) : Date.now() + direction * seconds * 1000;
  // A date without a time is refused, because it could mean midnight in UTC or midnight in local
  // time.
  if (!Number.isNaN(at) && (seconds !== undefined || (dateTime.test(text) && isRealDay(text)))) {
    return new Date(at).toISOString();
  }
  throw new InvalidArgumentError(
    'Expected a number with a unit (s, m, h or d), such as 90d or 24h, or a date and time with its offset, such as 2027-01-31T00:00:00Z.',
  );
}

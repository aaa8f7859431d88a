import {
  type PlanName,
  planNames,
  type Quota,
  type Scope,
  scopeNames,
} from '@animal-store/contract';
import { gracePeriod, isKeyId, maxLimit } from '@animal-store/contract/admin';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';

/** The options that say where the server is and how to answer; every command has them. */
export interface CommonOptions {
  readonly json?: true;
  readonly url?: string;
  readonly tokenFile?: string;
}

/** The options of a command that changes something. */
export interface ReasonOptions extends CommonOptions {
  readonly reason?: string;
}

/** The options with the quota of an Enterprise key. */
export interface LimitOptions {
  readonly perMinute?: number;
  readonly perDay?: number;
}

/** The id of a key or an operator, as an argument. */
export const idArgument = (of: 'key' | 'operator'): Argument =>
  new Argument('<id>', `the id of the ${of}`).argParser(parseId);

/** The id of a key or an operator, as an option. */
export const idOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(parseId);

/** The name of a plan, as an option. */
export const planOption = (description: string): Option =>
  new Option('--plan <plan>', description).choices(planNames);

/** The limit per minute of an Enterprise key. */
export const perMinuteOption = (): Option =>
  new Option('--per-minute <n>', 'requests per minute, for Enterprise').argParser(parseLimit);

/** The limit per day of an Enterprise key. */
export const perDayOption = (): Option =>
  new Option('--per-day <n>', 'requests per day, for Enterprise').argParser(parseLimit);

/** The options that say what a key may do. */
export interface ScopeOptions {
  readonly readOnly?: true;
  readonly scopes?: Scope[];
}

/** The short form of the scope of a key that only reads. */
export const readOnlyOption = (): Option =>
  new Option('--read-only', 'it may only read: for a key that browsers see').conflicts('scopes');

/** What a key may do. */
export const scopesOption = (): Option =>
  new Option('--scopes <list>', `what it may do: ${scopeNames.join(',')} or one of them`).argParser(
    parseScopes,
  );

/** What a key may do, if the options say. */
export function readScopes({ readOnly, scopes }: ScopeOptions): Scope[] | undefined {
  return readOnly ? ['pets:read'] : scopes;
}

/** When a key or an operator expires. */
export const expiresOption = (): Option =>
  new Option('--expires <when>', 'after 90d, 24h, … or at 2027-01-31T00:00:00Z').argParser((text) =>
    readInstant(text, 1),
  );

/** When a question begins. */
export const sinceOption = (description: string): Option =>
  new Option('--since <when>', `${description} (7d, 24h, …), or at 2026-11-21T00:00:00Z`).argParser(
    (text) => readInstant(text, -1),
  );

/** The grace period of a rotation, in seconds. */
export const graceOption = (): Option =>
  new Option('--grace <duration>', 'how long earlier tokens stay valid')
    .default(gracePeriod.default, '24h')
    .argParser((text) => {
      const seconds = parseDuration(text);
      if (seconds !== undefined && seconds <= gracePeriod.max) return seconds;
      throw new InvalidArgumentError(`Expected at most 30d: ${durationForm}, or 0.`);
    });

/** Why an operator changes something. */
export const reasonOption = (): Option => new Option('--reason <text>', 'why, for the audit log');

/** The reason as the admin API takes it. */
export const reasonOf = ({ reason }: ReasonOptions): { reason?: string | undefined } => ({
  reason,
});

/** A number of whole days, as the admin API takes it. */
export const daysOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text) => {
    const [, days] = /^([1-9]\d{0,2})d$/.exec(text) ?? [];
    if (days !== undefined && Number(days) <= 400) return days;
    throw new InvalidArgumentError('Expected a number of days from 1d to 400d.');
  });

/** The maximum number of keys to list. */
export const countOption = (): Option =>
  new Option('--limit <n>', 'no more than so many').argParser(parseLimit);

/** The options that every command has. */
export const commonOptions = (): readonly Option[] => [
  new Option('--json', 'write JSON, for scripts'),
  new Option('--url <origin>', "the operators' listener (or set OPS_URL)").argParser((text) => {
    if (URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, '')) {
      return new URL(text).origin;
    }
    throw new InvalidArgumentError('Expected an origin, such as http://127.0.0.1:3001.');
  }),
  new Option('--token-file <path>', 'a file with the token (or set ADMIN_TOKEN)'),
];

/** Reads the quota of an Enterprise key from its two options, or ends the command with an error. */
export function readQuota(
  command: Command,
  plan: PlanName | 'none' | undefined,
  { perMinute, perDay }: LimitOptions,
): Quota | undefined {
  if (perMinute === undefined && perDay === undefined) return undefined;
  if (perMinute === undefined || perDay === undefined) {
    return command.error('error: --per-minute and --per-day go together');
  }
  if (plan === 'enterprise') return { perMinute, perDay };
  return command.error('error: only the Enterprise plan takes --per-minute and --per-day');
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

const durationForm = 'a number with s, m, h or d, such as 90d or 24h';

/** Reads a duration such as `90d`, in seconds. A plain `0` is accepted. */
function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = unitSeconds[unit];
  return seconds === undefined ? undefined : Number(count) * seconds;
}

/** Reads a time, or a duration from now on or before now. */
function readInstant(text: string, direction: 1 | -1): string {
  const seconds = parseDuration(text);
  const at = seconds === undefined ? Date.parse(text) : Date.now() + direction * seconds * 1000;
  // A bare date would mean midnight in UTC to some, and here to others.
  if (!Number.isNaN(at) && (seconds !== undefined || /[\d:](?:Z|[+-]\d\d:\d\d)$/.test(text))) {
    return new Date(at).toISOString();
  }
  throw new InvalidArgumentError(
    `Expected ${durationForm}, or a date and time with its offset, such as 2027-01-31T00:00:00Z.`,
  );
}

function parseId(text: string): string {
  // Ids of operators and of keys are UUIDs.
  if (isKeyId(text)) return text;
  throw new InvalidArgumentError('Expected an id, as list shows it.');
}

function parseScopes(text: string): Scope[] {
  const given = text.split(',');
  const scopes = scopeNames.filter((name) => given.includes(name));
  if (scopes.length === given.length) return scopes;
  throw new InvalidArgumentError(
    `Expected ${scopeNames.join(' or ')}, or both with a comma between them.`,
  );
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= maxLimit) return Number(text);
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${maxLimit}.`);
}

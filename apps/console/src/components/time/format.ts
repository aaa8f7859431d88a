/**
 * The locale for numbers and times. The language is English, like the page. If the reader's browser
 * lists an English locale, such as `en-US`, the console uses it.
 */
const locale = navigator.languages.find((language) => /^en\b/.test(language)) ?? 'en-GB';

const integers = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const rates = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
const shares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat(locale, { notation: 'compact' });

/** The format of a time: without seconds (`short`) or with seconds (`medium`). */
type TimeStyle = 'short' | 'medium';

const formatsOf = (timeStyle: TimeStyle) => ({
  local: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle }),
  utc: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle, timeZone: 'UTC' }),
  utcClock: new Intl.DateTimeFormat(locale, { timeStyle, timeZone: 'UTC' }),
});
const formats = { short: formatsOf('short'), medium: formatsOf('medium') };
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const zone = new Intl.DateTimeFormat(locale).resolvedOptions().timeZone;

/**
 * Whether the reader's time zone is UTC. If so, the console shows each time once, and not in both
 * local time and UTC.
 */
export const isUtc: boolean = ['UTC', 'Etc/UTC', 'GMT'].includes(zone);

export const formatCount = (count: number): string => integers.format(count);
export const formatKeys = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'key' : 'keys'}`;
export const formatRequests = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'request' : 'requests'}`;
export const formatRate = (rate: number): string => rates.format(rate);
export const formatShare = (share: number): string =>
  share > 0 && share < 0.001 ? `< ${shares.format(0.001)}` : shares.format(share);
export const formatCompact = (count: number): string => compact.format(count);

/** Formats a time in the reader's time zone. */
export const formatLocal = (time: Date, style: TimeStyle = 'medium'): string =>
  formats[style].local.format(time);

/**
 * Formats a period, which is given in Unix milliseconds. If the period begins and ends on the same
 * day, the result contains the date once.
 */
export const spanText = (from: number, to: number): string =>
  formats.short.local.formatRange(from, to);

/**
 * Formats a time for the axis of a plot.
 *
 * @param at the time in Unix seconds.
 * @param step the distance between two marks, in seconds.
 */
export function formatTick(at: number, step: number): string {
  const time = new Date(at * 1_000);
  const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
  return (step >= 86_400 || isMidnight ? day : clock).format(time);
}

/** Formats a time in UTC. The date is left out if it is the same as in the reader's time zone. */
export function formatUtc(time: Date, style: TimeStyle = 'medium'): string {
  const isSameDay = time.getDate() === time.getUTCDate();
  return `${formats[style][isSameDay ? 'utcClock' : 'utc'].format(time)} UTC`;
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats how far a time is from now, such as "3 minutes ago" or "in 2 days". */
export function formatDistance(time: Date, now: number = Date.now()): string {
  const seconds = (time.getTime() - now) / 1_000;
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / length), unit);
}

/**
 * Formats how far a time is from now, for a text that people read later. The result has no seconds,
 * because a number of seconds would soon be wrong.
 */
export function distanceInWords(time: Date, now: number = Date.now()): string {
  const ms = time.getTime() - now;
  if (Math.abs(ms) >= 60_000) return formatDistance(time, now);
  return ms > 0 ? 'in less than a minute' : 'just now';
}

/** Formats a duration in milliseconds, such as "3.2 ms". */
export const formatMs = (ms: number): string =>
  ms < 1_000 ? `${rates.format(ms)} ms` : `${rates.format(ms / 1_000)} s`;

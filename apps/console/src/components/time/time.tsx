import { distanceInWords, formatDistance, formatLocal, formatUtc, isUtc } from './format.ts';
import { timeStyle } from './preferences.ts';

/**
 * Shows a time in the reader's time zone. The tooltip shows it in UTC.
 *
 * @param options.hidesSeconds hides the seconds.
 * @param options.hasDistance adds how far the time is from now.
 * @param options.hasUtc shows UTC next to the local time.
 */
export function Time({
  at,
  hidesSeconds = false,
  hasDistance = false,
  hasUtc = false,
}: {
  at: string;
  hidesSeconds?: boolean;
  hasDistance?: boolean;
  hasUtc?: boolean;
}) {
  const time = new Date(at);
  const style = hidesSeconds ? 'short' : 'medium';
  const distanceText = isThisMinute(time, hidesSeconds) ? 'this minute' : distanceInWords(time);
  const aside = [
    hasUtc && !isUtc && ` (${formatUtc(time, style)})`,
    hasDistance && `, ${distanceText}`,
  ].filter(Boolean);
  return (
    <time class="time" datetime={at} title={bothOf(time)}>
      {localOf(time, style)}
      {hasUtc ? <small>{aside}</small> : aside}
    </time>
  );
}

/**
 * Shows a time on one line of a table. The reader's preference decides between the time and its
 * distance from now.
 *
 * @param options.isMinute whether the seconds of `at` are unknown. A time in the current minute is
 *   then shown as "this minute".
 */
export function CellTime({ at, isMinute = false }: { at: string | null; isMinute?: boolean }) {
  if (at === null) return <span class="missing">never</span>;
  const time = new Date(at);
  const text =
    timeStyle.value.value === 'relative'
      ? isThisMinute(time, isMinute)
        ? 'this minute'
        : formatDistance(time)
      : localOf(time, 'short');
  return (
    <time class="time" datetime={at} title={bothOf(time)}>
      {text}
    </time>
  );
}

const localOf = (time: Date, style: 'short' | 'medium') =>
  `${formatLocal(time, style)}${isUtc ? ' UTC' : ''}`;

const bothOf = (time: Date) => `${formatLocal(time)} (${formatUtc(time)})`;

/**
 * Returns whether a time whose seconds are unknown is in the current minute. For such a time, the
 * page cannot show the number of seconds since then.
 */
function isThisMinute(time: Date, isMinute: boolean): boolean {
  const age = Date.now() - time.getTime();
  return isMinute && age >= 0 && age < 60_000;
}

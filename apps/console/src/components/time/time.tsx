import { distanceInWords, formatDistance, formatLocal, formatUtc, isUtc } from './format.ts';
import { timeStyle } from './preferences.ts';

/**
 * Shows a time in the reader's time zone; UTC is in its tooltip.
 *
 * @param options.minutes hides the seconds.
 * @param options.distance adds the distance from now.
 * @param options.hasUtc shows UTC next to it.
 */
export function Time({
  at,
  minutes = false,
  distance = false,
  hasUtc = false,
}: {
  at: string;
  minutes?: boolean;
  distance?: boolean;
  hasUtc?: boolean;
}) {
  const time = new Date(at);
  const style = minutes ? 'short' : 'medium';
  const far = isThisMinute(time, minutes) ? 'this minute' : distanceInWords(time);
  const aside = [hasUtc && !isUtc && ` (${formatUtc(time, style)})`, distance && `, ${far}`].filter(
    Boolean,
  );
  return (
    <time class="time" datetime={at} title={bothOf(time)}>
      {localOf(time, style)}
      {hasUtc ? <small>{aside}</small> : aside}
    </time>
  );
}

/**
 * Shows a time in a table, on one line: its distance from now, or the time, as the reader prefers.
 *
 * @param options.isMinute whether only the minute is known, which may not be over yet.
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

/** A time that is known to the minute is at least as close as the end of this minute. */
function isThisMinute(time: Date, isMinute: boolean): boolean {
  const age = Date.now() - time.getTime();
  return isMinute && age >= 0 && age < 60_000;
}

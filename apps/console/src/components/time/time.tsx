import { distanceInWords, formatDistance, formatLocal, formatUtc, isUtc } from './format.ts';
import { timeStyle } from './preferences.ts';

/**
 * A time in the reader's zone; UTC is in its tooltip.
 *
 * @param options.minutes leaves out the seconds.
 * @param options.distance adds how far it is from now.
 * @param options.hasUtc says UTC next to it.
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
 * A time in a table, on one line: how far it is from now, or when it is, as the reader prefers.
 *
 * @param options.isMinute whether only the minute is known: it may not be over yet.
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

/** What is known by the minute is not further away than its end. */
function isThisMinute(time: Date, isMinute: boolean): boolean {
  const age = Date.now() - time.getTime();
  return isMinute && age >= 0 && age < 60_000;
}

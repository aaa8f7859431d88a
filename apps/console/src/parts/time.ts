import { html } from 'htm/preact';
import { formatDistance, formatLocal, formatUtc, isUtc } from '../format.ts';
import { timeStyle } from '../preferences.ts';

/**
 * A time in the reader's zone, with UTC next to it.
 *
 * @param options.minutes leaves out the seconds.
 * @param options.distance adds how far it is from now.
 */
export function Time({
  at,
  minutes = false,
  distance = false,
}: {
  at: string;
  minutes?: boolean;
  distance?: boolean;
}) {
  const time = new Date(at);
  const style = minutes ? 'short' : 'medium';
  return html`<time class="time" datetime=${at}>
    <span>${formatLocal(time, style)}${isUtc && ' UTC'}</span>
    ${!isUtc && html` <small>${formatUtc(time, style)}</small>`}
    ${distance && html` <small>${distanceOf(time, minutes)}</small>`}
  </time>`;
}

/**
 * A time in a table, on one line: how far it is from now, or when it is, as the reader prefers.
 *
 * @param options.isMinute whether only the minute is known: it may not be over yet.
 */
export function CellTime({ at, isMinute = false }: { at: string | null; isMinute?: boolean }) {
  if (at === null) return html`<span class="missing">never</span>`;
  const time = new Date(at);
  const both = `${formatLocal(time)} (${formatUtc(time)})`;
  const text =
    timeStyle.value.value === 'relative'
      ? distanceOf(time, isMinute)
      : `${formatLocal(time, 'short')}${isUtc ? ' UTC' : ''}`;
  return html`<time class="time" datetime=${at} title=${both}>${text}</time>`;
}

/** What is known by the minute is not further away than its end. */
const distanceOf = (time: Date, isMinute: boolean): string => {
  const age = Date.now() - time.getTime();
  return isMinute && age >= 0 && age < 60_000 ? 'this minute' : formatDistance(time);
};

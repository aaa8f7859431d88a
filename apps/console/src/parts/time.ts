import { html } from 'htm/preact';
import { formatDistance, formatLocal, formatUtc, isUtc } from '../format.ts';

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
    ${distance && html` <small>${formatDistance(time)}</small>`}
  </time>`;
}

/** A time to the minute, or that there was none. */
export function OptionalTime({ at }: { at: string | null }) {
  return at === null
    ? html`<span class="missing">never</span>`
    : html`<${Time} at=${at} minutes />`;
}

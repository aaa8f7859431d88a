import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { fromLocalField, toLocalField } from '../local-time.ts';
import { setQuery } from '../route.ts';
import {
  faultOf,
  type RangeName,
  rangeLabels,
  type Span,
  showSpan,
  type TimeRange,
  zoomOut,
} from '../time-range.ts';

/** Chooses the span of time of all plots of a page. It is in the address. */
export function TimeRangeControl({ range }: { range: TimeRange }) {
  const { name: chosen, span } = range;
  const lengthMs = span.to - span.from;
  const choose = (name: RangeName) => {
    if (name === 'own') showSpan(span);
    else setQuery({ range: name, from: '', to: '' });
  };
  const isAtEnd = span.to >= Date.now();

  return html`<form class="time-range" aria-label="Time" onSubmit=${(event: Event) => event.preventDefault()}>
    <fieldset class="choice segments">
      <legend class="hidden">Span of time</legend>
      ${(Object.keys(rangeLabels) as RangeName[]).map(
        (name) => html`<label>
          <input
            type="radio"
            name="range"
            value=${name}
            checked=${name === chosen}
            onChange=${() => choose(name)}
          /><span>${rangeLabels[name]}</span>
        </label>`,
      )}
    </fieldset>
    <div class="steps">
      <button type="button" onClick=${() => showSpan({ from: span.from - lengthMs, to: span.from })}>
        ← Earlier
      </button>
      <button
        type="button"
        aria-disabled=${isAtEnd}
        onClick=${() => !isAtEnd && showSpan({ from: span.to, to: span.to + lengthMs })}
      >Later →</button>
      <button type="button" onClick=${() => showSpan(zoomOut(span))}>Zoom out</button>
    </div>
    ${chosen === 'own' && html`<${OwnRange} key=${`${span.from}-${span.to}`} span=${span} />`}
  </form>`;
}

function OwnRange({ span }: { span: Span }) {
  const [fault, setFault] = useState<string>();
  const [typed, setTyped] = useState({ from: localOf(span.from), to: localOf(span.to) });
  const field = (end: 'from' | 'to', label: string) => html`<label class="field">
    ${label}
    <input
      type="datetime-local"
      name=${end}
      value=${typed[end]}
      aria-invalid=${fault === undefined ? undefined : 'true'}
      onChange=${(event: Event) => change(end, (event.target as HTMLInputElement).value)}
    />
  </label>`;

  function change(end: 'from' | 'to', text: string): void {
    const next = { ...typed, [end]: text };
    setTyped(next);
    const chosen = { from: instantOf(next.from), to: instantOf(next.to) };
    const found = faultOf(chosen);
    setFault(found);
    if (found === undefined) showSpan(chosen);
  }

  return html`<div class="own-range">
    ${field('from', 'From (your time)')} ${field('to', 'Until (your time)')}
    ${fault !== undefined && html`<small class="fault" role="alert">${fault}</small>`}
  </div>`;
}

const localOf = (time: number) => toLocalField(new Date(time).toISOString());

const instantOf = (local: string) => Date.parse(fromLocalField(local) ?? '');

import { useLayoutEffect, useState } from 'preact/hooks';
import { changeParameters } from '../../address.ts';
import { Field } from '../form/form.tsx';
import { fromLocalField, toLocalField } from '../form/local-time.ts';
import { spanText } from './format.ts';
import {
  faultOf,
  isOffered,
  oldestStart,
  type PresetName,
  presets,
  type Span,
  showSpan,
  type TimeRange,
  zoomOut,
} from './time-range.ts';

/**
 * The control that chooses the period of all plots on a page. The address of the page contains the
 * period.
 */
export function TimeRangeControl({ range }: { range: TimeRange }) {
  const { name: chosen, span } = range;
  const lengthMs = span.to - span.from;
  const choose = (name: PresetName) => changeParameters({ range: name, from: '', to: '' });
  const isAtStart = span.from <= oldestStart();
  const isAtEnd = span.to >= Date.now();

  return (
    <div class="time-range" role="group" aria-label="Time">
      <button type="button" class="choose" popovertarget="time-menu">
        <span>{chosen === 'own' ? spanText(span.from, span.to) : presets[chosen].label}</span>
        <span aria-hidden="true">▾</span>
      </button>
      <div id="time-menu" class="menu" popover role="group" aria-label="Period">
        {(Object.keys(presets) as PresetName[]).filter(isOffered).map((name) => (
          <button
            type="button"
            class="quiet"
            popovertarget="time-menu"
            popovertargetaction="hide"
            aria-pressed={name === chosen}
            onClick={() => choose(name)}
          >
            {presets[name].label}
          </button>
        ))}
        <OwnRange span={span} isOwn={chosen === 'own'} />
      </div>
      <button
        type="button"
        aria-label="Earlier"
        aria-disabled={isAtStart}
        onClick={() => !isAtStart && showSpan({ from: span.from - lengthMs, to: span.from })}
      >
        ←
      </button>
      <button
        type="button"
        aria-label="Later"
        aria-disabled={isAtEnd}
        onClick={() => !isAtEnd && showSpan({ from: span.to, to: span.to + lengthMs })}
      >
        →
      </button>
      <button type="button" onClick={() => showSpan(zoomOut(span))}>
        Zoom out
      </button>
    </div>
  );
}

/**
 * The two fields for the start and end of a period.
 *
 * @param isOwn whether the operator has chosen the period. If not, the period ends now and moves
 *   on with the current time. The fields keep their first values in this case, because an update
 *   would overwrite what the operator types.
 */
function OwnRange({ span, isOwn }: { span: Span; isOwn: boolean }) {
  const [fault, setFault] = useState<string>();
  const [typed, setTyped] = useState({ from: '', to: '' });
  // The fields get their values before the first paint. Later, the values could overwrite what the
  // operator types.
  useLayoutEffect(
    () => setTyped({ from: localOf(span.from), to: localOf(span.to) }),
    isOwn ? [span.from, span.to] : [isOwn],
  );
  const field = (end: 'from' | 'to', label: string) => (
    <Field
      label={label}
      name={end}
      type="datetime-local"
      value={typed[end]}
      aria-invalid={fault === undefined ? undefined : 'true'}
      onChange={(event) => change(end, event.currentTarget.value)}
    />
  );

  function change(end: 'from' | 'to', text: string): void {
    const next = { ...typed, [end]: text };
    setTyped(next);
    const chosen = { from: instantOf(next.from), to: instantOf(next.to) };
    const found = faultOf(chosen);
    setFault(found);
    if (found === undefined) showSpan(chosen);
  }

  return (
    <>
      {field('from', 'From (local time)')} {field('to', 'Until (local time)')}
      {fault !== undefined && (
        <small class="fault" role="alert">
          {fault}
        </small>
      )}
    </>
  );
}

const localOf = (time: number) => toLocalField(new Date(time).toISOString());

const instantOf = (local: string) => Date.parse(fromLocalField(local) ?? '');

import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { route, setQuery } from '../route.ts';

/** How long after the last letter a search begins. */
const pauseMs = 300;

/** A field whose value is in the address. */
export function QueryField({
  name,
  label,
  type = 'search',
  ...more
}: {
  name: string;
  label: string;
  type?: string;
  [attribute: string]: unknown;
}) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (event: Event) => {
    const { value } = event.target as HTMLInputElement;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQuery({ [name]: value.trim(), cursor: '' }), pauseMs);
  };
  return html`<label class="field">
    ${label}
    <input
      type=${type}
      value=${route.value.query[name] ?? ''}
      autocomplete="off"
      spellcheck=${false}
      onInput=${change}
      ...${more}
    />
  </label>`;
}

/** A choice that is in the address. */
export function QuerySelect({
  name,
  label,
  options,
  all = 'All',
}: {
  name: string;
  label: string;
  options: readonly (readonly [value: string, label: string])[];
  /** What stands for no choice. */
  all?: string;
}) {
  return html`<label class="field">
    ${label}
    <select
      value=${route.value.query[name] ?? ''}
      onChange=${(event: Event) =>
        setQuery({ [name]: (event.target as HTMLSelectElement).value, cursor: '' })}
    >
      <option value="">${all}</option>
      ${options.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
    </select>
  </label>`;
}

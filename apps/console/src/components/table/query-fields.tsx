import type { InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { changeParameters, type ParameterName, useAllParameters } from '../../address.ts';
import { SelectField } from '../form/form.tsx';
import type { SearchTerm } from './search-term.ts';

/** How long the search waits after the last key press, in milliseconds. */
const pauseMs = 300;

const readAsItIs = (typed: string): SearchTerm => ({ text: typed.trim() });

/** A field that stores its value in the address of the page. */
export function QueryField({
  name,
  label,
  read = readAsItIs,
  type = 'search',
  class: className,
}: Pick<InputHTMLAttributes, 'class'> & {
  type?: 'datetime-local' | 'search';
  name: ParameterName;
  label: string;
  /** Converts the typed text to a search term. It may also return a hint for the operator. */
  read?: (typed: string) => SearchTerm;
}) {
  const [hint, setHint] = useState<string>();
  const id = useId();
  const typed = useRef('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (value: string) => {
    typed.current = value;
    const term = read(typed.current);
    setHint(term.hint);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      changeParameters({ [name]: term.text, cursor: '' });
    }, pauseMs);
  };
  const searched = useAllParameters()[name] ?? '';
  // The field keeps the typed text while the search waits for the next letter. The field also keeps
  // a space at the end of the text, although the search ignores this space.
  const isKept = timer.current !== undefined || typed.current.trim() === searched;
  // In Preact, the allowed attributes of an input depend on its `type`. The compiler accepts a
  // single type here, but not a union of two types.
  const inputType = type === 'search' ? { type } : { type };
  return (
    <label class="field">
      {label}
      <input
        {...inputType}
        value={isKept ? typed.current : searched}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => change(event.currentTarget.value)}
        aria-describedby={hint && id}
        class={className}
      />
      {hint !== undefined && (
        <small id={id} role="status">
          {hint}
        </small>
      )}
    </label>
  );
}

/** A list of options that stores its value in the address of the page. */
export function QuerySelect({
  name,
  label,
  options,
  all = 'All',
}: {
  name: ParameterName;
  label: string;
  options: readonly (readonly [value: string, label: string])[];
  /** The label of the first option, which removes the filter. */
  all?: string;
}) {
  return (
    <SelectField
      label={label}
      value={useAllParameters()[name] ?? ''}
      options={[['', all], ...options]}
      onChange={(event) => changeParameters({ [name]: event.currentTarget.value, cursor: '' })}
    />
  );
}

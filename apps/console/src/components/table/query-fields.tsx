import type { InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { changeParameters, type ParameterName, useAllParameters } from '../../address.ts';
import { SelectField } from '../form/form.tsx';
import type { SearchTerm } from './search-term.ts';

/** How long after the last key press a search begins. */
const pauseMs = 300;

const readAsItIs = (typed: string): SearchTerm => ({ text: typed.trim() });

/** A field whose value is in the address. */
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
  /** Converts the input to a search term, and may return a hint. */
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
  // The input stays while the search waits for the next letter, including a space at its end.
  const isKept = timer.current !== undefined || typed.current.trim() === searched;
  // Preact's types of an input depend on its type, and do not accept a union.
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

/** A choice whose value is in the address. */
export function QuerySelect({
  name,
  label,
  options,
  all = 'All',
}: {
  name: ParameterName;
  label: string;
  options: readonly (readonly [value: string, label: string])[];
  /** The label of no choice. */
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

import { html } from 'htm/preact';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { RefusedRequest } from '../failures.ts';
import { type FieldFaults, readFaults } from '../form-faults.ts';

const Faults = createContext<FieldFaults>({});

/** A form that says what was refused: at the fields concerned, or else above its buttons. */
export function Form({
  class: className,
  submit,
  fields,
  children,
}: {
  class?: string;
  /** Does it. What it throws is shown, and what was typed stays. */
  submit: (form: FormData) => Promise<void>;
  fields: ComponentChildren;
  /** The buttons. */
  children: (isBusy: boolean) => ComponentChildren;
}) {
  const element = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const [faults, setFaults] = useState<FieldFaults>({});
  useEffect(() => element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [faults]);

  async function onSubmit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isBusy || element.current === null) return;
    setBusy(true);
    setFailure('');
    setFaults({});
    try {
      await submit(new FormData(element.current));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const isInvalid = error instanceof RefusedRequest && error.status === 400;
      const found = isInvalid ? readFaults(message) : undefined;
      if (found === undefined) setFailure(message);
      else setFaults(found);
    } finally {
      setBusy(false);
    }
  }

  return html`<form ref=${element} class=${className} onSubmit=${onSubmit}>
    <${Faults.Provider} value=${faults}>${fields}<//>
    <p class="failed" role="alert">${failure}</p>
    <div class="actions">${children(isBusy)}</div>
  </form>`;
}

export const textOf = (form: FormData, name: string): string => String(form.get(name)).trim();

/** A field of a form: its label, what it is for, and what is wrong with it. */
export function Field({
  label,
  name,
  help,
  options,
  ...attributes
}: {
  label: string;
  name?: string;
  help?: string;
  /** What one of them is chosen of: the values, and how they are called. */
  options?: readonly (readonly [value: string | number, label: string])[];
  [attribute: string]: unknown;
}) {
  const id = useId();
  const fault = useContext(Faults)[name ?? ''];
  const isFaulty = fault !== undefined;
  const descriptions = [isFaulty && `${id}-fault`, help && `${id}-help`].filter(Boolean);
  return html`<label class="field">
    ${label}
    <${options ? 'select' : 'input'}
      name=${name}
      aria-invalid=${isFaulty ? 'true' : undefined}
      aria-describedby=${descriptions.join(' ') || undefined}
      ...${attributes}
    >${options?.map(([value, text]) => html`<option key=${value} value=${value} selected=${value === attributes['defaultValue']}>${text}</option>`)}<//>
    ${isFaulty && html`<small id=${`${id}-fault`} class="fault" role="alert">${fault}</small>`}
    ${help && html`<small id=${`${id}-help`}>${help}</small>`}
  </label>`;
}

import { type UseMutationResult, useMutation } from '@tanstack/preact-query';
import {
  type AriaAttributes,
  type ComponentChildren,
  createContext,
  type InputHTMLAttributes,
  type SelectHTMLAttributes,
} from 'preact';
import { useContext, useEffect, useId, useRef } from 'preact/hooks';
import { RefusedRequest } from '../../api/failures.ts';
import { type FieldFaults, readFaults } from './form-faults.ts';

const Faults = createContext<FieldFaults>({});

/**
 * The submission of a form: its progress, its error, and the function that starts it. After an
 * error, the form keeps the input.
 */
export type Submit = UseMutationResult<void, Error, FormData>;

export function useSubmit(submit: (form: FormData) => Promise<void>): Submit {
  return useMutation({ mutationFn: submit });
}

/**
 * A form that shows errors at their fields. Errors that belong to no field are above the buttons.
 */
export function Form({
  class: className,
  submit: { error, isPending, mutate },
  fields,
  children,
}: {
  class?: string;
  submit: Submit;
  fields: ComponentChildren;
  /** The buttons of the form. */
  children: ComponentChildren;
}) {
  const element = useRef<HTMLFormElement>(null);
  const isInvalid = error instanceof RefusedRequest && error.status === 400;
  const faults = isInvalid ? readFaults(error.message) : undefined;
  useEffect(() => element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [error]);
  return (
    <form
      ref={element}
      class={className}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) mutate(new FormData(event.currentTarget));
      }}
    >
      <Faults.Provider value={faults ?? {}}>{fields}</Faults.Provider>
      <p class="failed" role="alert">
        {faults === undefined && error?.message}
      </p>
      <div class="actions">{children}</div>
    </form>
  );
}

export const textOf = (form: FormData, name: string): string => String(form.get(name)).trim();

type Described = { id: string } & Pick<AriaAttributes, 'aria-describedby' | 'aria-invalid'>;

/** The frame of a form field, with its label, its description and its error. */
function Labelled({
  label,
  name = '',
  help,
  children,
}: {
  label: string;
  name?: string | undefined;
  help?: string | undefined;
  /**
   * Creates the input element. Its attributes refer to the description and the error of the field.
   */
  children: (described: Described) => ComponentChildren;
}) {
  const id = useId();
  const fault = useContext(Faults)[name];
  const descriptions = [fault && `${id}-fault`, help && `${id}-help`].filter(Boolean);
  return (
    <label class="field" for={id}>
      {label}
      {children({
        id,
        'aria-invalid': fault === undefined ? undefined : 'true',
        'aria-describedby': descriptions.join(' ') || undefined,
      })}
      {fault !== undefined && (
        <small id={`${id}-fault`} class="fault" role="alert">
          {fault}
        </small>
      )}
      {help && <small id={`${id}-help`}>{help}</small>}
    </label>
  );
}

interface FieldProps {
  label: string;
  name?: string;
  help?: string;
}

/** A form field for a text, a number or a time. */
export function Field({ label, name, help, ...attributes }: FieldProps & InputHTMLAttributes) {
  return (
    <Labelled label={label} name={name} help={help}>
      {(described) => <input name={name} {...described} {...attributes} />}
    </Labelled>
  );
}

/** A form field to choose one of several options. */
export function SelectField<Value extends string | number>({
  label,
  name,
  help,
  options,
  defaultValue,
  ...attributes
}: FieldProps &
  SelectHTMLAttributes & {
    options: readonly (readonly [value: Value, label: string])[];
  }) {
  return (
    <Labelled label={label} name={name} help={help}>
      {(described) => (
        <select name={name} {...described} {...attributes}>
          {options.map(([value, text]) => (
            <option key={value} value={value} selected={value === defaultValue}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

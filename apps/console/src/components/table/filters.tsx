import { type ComponentChildren, Fragment, isValidElement, toChildArray } from 'preact';
import { useState } from 'preact/hooks';
import { useAllParameters } from '../../address.ts';

/**
 * The row of fields that filter a list. On a phone, a button hides and shows all fields but the
 * first. `query-fields.tsx` contains the fields.
 */
export function Filters({ label, children }: { label: string; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const [first, ...others] = fieldsIn(children);
  const { cursor: _, sort: __, ...query } = useAllParameters();
  const count = Object.keys(query).length;
  return (
    <form
      class={isOpen ? 'filters open' : 'filters'}
      role="search"
      aria-label={label}
      onSubmit={(event) => event.preventDefault()}
    >
      {first}
      {others.length > 0 && (
        <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters{count > 0 && ` (${count})`}
        </button>
      )}
      {others}
    </form>
  );
}

/**
 * Returns the fields in an element's children as a flat list. A fragment is replaced by the fields
 * that it contains.
 */
const fieldsIn = (children: ComponentChildren): ComponentChildren[] =>
  toChildArray(children).flatMap((child) =>
    isValidElement(child) && child.type === Fragment ? fieldsIn(child.props.children) : [child],
  );

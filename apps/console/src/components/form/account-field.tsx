import { useId, useState } from 'preact/hooks';
import { useAdmin } from '../../api/use-admin.ts';
import { useDebounced } from '../use-debounced.ts';
import { Field } from './form.tsx';

/** A field for the name of an account. The browser suggests names of existing accounts. */
export function AccountField(attributes: { help?: string; defaultValue?: string }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed.trim());
  // If the request for suggestions fails, the operator can still type the name.
  const { data } = useAdmin(
    'listAccounts',
    { query: { search, limit: '8' } },
    { isEnabled: search !== '', isPolled: false },
  );
  return (
    <>
      <Field
        label="Account"
        name="account"
        type="text"
        autocomplete="off"
        list={id}
        onInput={(event) => setTyped(event.currentTarget.value)}
        {...attributes}
      />
      <datalist id={id}>
        {data?.body.map(({ account }) => (
          <option key={account} value={account} />
        ))}
      </datalist>
    </>
  );
}

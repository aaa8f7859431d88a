import { useEffect, useId, useState } from 'preact/hooks';
import { call } from '../../api/call-admin-api.ts';
import { Field } from './form.tsx';

/** How long after the last letter accounts are looked for. */
const pauseMs = 200;

/** The name of an account, which the browser completes with those that there are. */
export function AccountField(attributes: { help?: string; defaultValue?: string }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    if (typed.trim() === '') return;
    const left = new AbortController();
    const timer = setTimeout(() => {
      const query = { search: typed.trim(), limit: '8' };
      // Without them, the name can still be typed.
      call('listAccounts', { query, signal: left.signal }).then(
        (found) => setNames(found.map(({ account }) => account)),
        () => {},
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [typed]);
  return (
    <>
      <Field
        label="Account"
        name="account"
        autocomplete="off"
        list={id}
        onInput={(event) => setTyped(event.currentTarget.value)}
        {...attributes}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option value={name} />
        ))}
      </datalist>
    </>
  );
}

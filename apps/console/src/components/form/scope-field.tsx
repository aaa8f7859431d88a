import type { Key } from '@animal-store/admin-contract';
import { SelectField } from './form.tsx';

type Scopes = Key['scopes'];

/** The scopes that each option of the field stands for. */
const choices: Readonly<Record<string, { readonly label: string; readonly scopes: Scopes }>> = {
  'read-write': { label: 'Read and write', scopes: ['pets:read', 'pets:write'] },
  read: { label: 'Read only', scopes: ['pets:read'] },
  write: { label: 'Write only', scopes: ['pets:write'] },
};

/** Describes scopes for people, such as "Read only". */
export function scopesLabel(scopes: Scopes): string {
  return choices[choiceOf(scopes)]?.label ?? scopes.join(', ');
}

function choiceOf(scopes: Scopes): string {
  const found = Object.entries(choices).find(([, choice]) => `${choice.scopes}` === `${scopes}`);
  return found?.[0] ?? 'read-write';
}

export function ScopeField({ scopes }: { scopes: Scopes }) {
  return (
    <SelectField
      label="Permissions"
      name="scopes"
      options={Object.entries(choices).map(([value, { label }]) => [value, label])}
      defaultValue={choiceOf(scopes)}
      help="Choose Read only for a key in a web page, because visitors can see the key."
    />
  );
}

export function readScopes(form: FormData): Scopes {
  const choice = choices[String(form.get('scopes'))];
  if (choice === undefined) throw new Error('Choose the permissions of the key.');
  return choice.scopes;
}

import type { NewKey } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { call } from '../call-admin-api.ts';
import { confirmAlikeAccount } from '../confirm-alike-account.ts';
import { AccountField } from '../parts/account-field.ts';
import { Field, Form, textOf } from '../parts/form.ts';
import { showToken } from '../parts/new-tokens.ts';
import { PlanFields, readPlan } from '../parts/plan-fields.ts';
import { readScopes, ScopeField } from '../parts/scope-field.ts';
import { goTo, linkTo, route } from '../route.ts';

export function NewKeyPage() {
  async function submit(form: FormData): Promise<void> {
    const body = readNewKey(form);
    await confirmAlikeAccount(body.account);
    const { key, token } = await call('createKey', { body });
    goTo(linkTo('key', { id: key.id }));
    showToken({
      title: 'The key is created',
      token,
      advice: 'Give this token to whoever uses the key.',
    });
  }

  return html`
    <p class="path"><a href=${linkTo('keys')}>Keys</a> /</p>
    <h1>New key</h1>
    <${Form}
      class="form"
      submit=${submit}
      fields=${html`
        <${Field} label="Name" name="name" required autocomplete="off" help="Who or what the key is for. It need not be unique." />
        <${AccountField} defaultValue=${route.value.query['account'] ?? ''} help="A reference of your own, such as a customer number." />
        <${PlanFields} plan="free" />
        <${ScopeField} scopes=${['pets:read', 'pets:write']} />
        <${Field} label="Expires" name="expires" type="datetime-local" help="In your time zone. Leave it empty for a key that does not expire." />
      `}
    >
      ${(isBusy: boolean) => html`
        <button type="submit" class="primary" aria-disabled=${isBusy}>
          ${isBusy ? 'Creating…' : 'Create the key'}
        </button>
        <a class="button" href=${linkTo('keys')}>Cancel</a>
      `}
    <//>
  `;
}

function readNewKey(form: FormData): NewKey {
  const [name, account, expires] = ['name', 'account', 'expires'].map((field) =>
    textOf(form, field),
  );
  const plan = readPlan(form);
  return {
    ...plan,
    scopes: readScopes(form),
    ...(name && { name }),
    ...(account && { account }),
    ...(expires && { expiresAt: new Date(expires).toISOString() }),
  } as NewKey;
}

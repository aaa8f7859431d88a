import type { IssuedKey, NewKey } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { call } from '../call-admin-api.ts';
import { PlanFields, readPlan } from '../parts/plan-fields.ts';
import { SecretDialog } from '../parts/secret-dialog.ts';
import { goTo, linkTo } from '../route.ts';

/** Creates a key. */
export function NewKeyPage() {
  const [failure, setFailure] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [issued, setIssued] = useState<IssuedKey>();

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFailure('');
    try {
      const body = readNewKey(new FormData(event.currentTarget as HTMLFormElement));
      setIssued(await call('createKey', { body }));
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  }

  return html`
    <p class="path"><a href=${linkTo('keys')}>Keys</a> /</p>
    <h1>New key</h1>
    <form class="form" onSubmit=${submit}>
      <label class="field">
        Name
        <input name="name" autocomplete="off" aria-describedby="name-help" />
        <small id="name-help">Who or what the key is for. It need not be unique.</small>
      </label>
      <label class="field">
        Account
        <input name="account" autocomplete="off" aria-describedby="account-help" />
        <small id="account-help">A reference of your own, such as a customer number.</small>
      </label>
      <${PlanFields} plan="free" />
      <label class="field">
        Expires
        <input type="datetime-local" name="expires" aria-describedby="expires-help" />
        <small id="expires-help">In your time zone. Leave it empty for a key that does not expire.</small>
      </label>
      <p class="failed" role="alert">${failure}</p>
      <div class="actions">
        <button type="submit" class="primary" aria-disabled=${isBusy}>
          ${isBusy ? 'Creating…' : 'Create the key'}
        </button>
        <a class="button" href=${linkTo('keys')}>Cancel</a>
      </div>
    </form>
    ${
      issued !== undefined &&
      html`<${SecretDialog}
        title="The key is created"
        token=${issued.token}
        advice="Give this token to whoever uses the key."
        onClose=${() => goTo(linkTo('key', { id: issued.key.id }))}
      />`
    }
  `;
}

function readNewKey(form: FormData): NewKey {
  const [name, account, expires] = ['name', 'account', 'expires'].map((field) =>
    String(form.get(field)).trim(),
  );
  const plan = readPlan(form);
  return {
    ...plan,
    ...(name && { name }),
    ...(account && { account }),
    ...(expires && { expiresAt: new Date(expires).toISOString() }),
  } as NewKey;
}

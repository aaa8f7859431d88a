import type { NewKey } from '@animal-store/admin-contract';
import { call } from '../../api/call-admin-api.ts';
import { confirmAlikeAccount } from '../../components/form/confirm-alike-account.ts';
import { Form } from '../../components/form/form.tsx';
import { KeyFields, readKeyFields } from '../../components/form/key-fields.tsx';
import { PlanFields, readPlan } from '../../components/form/plan-fields.tsx';
import { showToken } from '../../components/new-tokens.tsx';
import { goTo, linkTo, route } from '../../route.ts';

/** What a new key has before anything is chosen. */
const blank = { name: '', account: null, scopes: [], expiresAt: null };

export function NewKeyPage() {
  const account = route.value.query['account'] ?? null;
  async function submit(form: FormData): Promise<void> {
    const body = { ...readPlan(form), ...readKeyFields(form, blank) } as NewKey;
    await confirmAlikeAccount(body.account);
    const { key, token } = await call('createKey', { body });
    goTo(linkTo('key', { id: key.id }));
    showToken({
      title: 'The key is created',
      token,
      advice: 'Give this token to whoever uses the key.',
    });
  }

  return (
    <>
      <p class="path">
        <a href={linkTo('keys')}>Keys</a> /
      </p>
      <h1>New key</h1>
      <Form
        class="form"
        submit={submit}
        fields={
          <KeyFields details={{ ...blank, account, scopes: ['pets:read', 'pets:write'] }}>
            <PlanFields plan="free" />
          </KeyFields>
        }
      >
        {(isBusy: boolean) => (
          <>
            <button type="submit" class="primary" aria-disabled={isBusy}>
              {isBusy ? 'Creating…' : 'Create the key'}
            </button>
            <a class="button" href={linkTo('keys')}>
              Cancel
            </a>
          </>
        )}
      </Form>
    </>
  );
}

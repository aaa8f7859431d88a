import type { NewKey } from '@animal-store/admin-contract';
import { goTo, linkTo, useParameters } from '../../address.ts';
import { call } from '../../api/call-admin-api.ts';
import { confirmSimilarAccount } from '../../components/form/confirm-similar-account.ts';
import { Form, useSubmit } from '../../components/form/form.tsx';
import { KeyFields, readKeyFields } from '../../components/form/key-fields.tsx';
import { PlanFields, readPlan } from '../../components/form/plan-fields.tsx';
import { showToken } from '../../components/new-tokens.tsx';

/** The initial values of the form for a new key. */
const blank = { name: '', account: null, scopes: [], expiresAt: null };

export function NewKeyPage() {
  const account = useParameters('new-key').account ?? null;
  const submit = useSubmit(async (form) => {
    const body = { ...readPlan(form), ...readKeyFields(form, blank) } as NewKey;
    await confirmSimilarAccount(body.account);
    const { key, token } = await call('createKey', { body });
    goTo(linkTo('key', { id: key.id }));
    showToken({
      title: 'Key created',
      token,
      advice: 'Give this token to the people or programs that use the key.',
    });
  });

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
        <button type="submit" class="primary" aria-disabled={submit.isPending}>
          {submit.isPending ? 'Creating…' : 'Create key'}
        </button>
        <a class="button" href={linkTo('keys')}>
          Cancel
        </a>
      </Form>
    </>
  );
}

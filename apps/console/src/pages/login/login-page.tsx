import { call } from '../../api/call-admin-api.ts';
import { RefusedRequest } from '../../api/failures.ts';
import { beginSession, sessionEnd } from '../../api/session.ts';
import { Dialog } from '../../components/form/dialog.tsx';
import { Field, Form, textOf, useSubmit } from '../../components/form/form.tsx';
import { Icon } from '../../components/icon.tsx';

export function LoginPage() {
  return (
    <main class="login">
      <h1>
        <Icon name="brand" /> Animal Store console
      </h1>
      <LoginForm />
    </main>
  );
}

/** Shows the login form over the current page after the session has expired. */
export function LoginDialog() {
  return (
    <Dialog
      title={
        <>
          <Icon name="brand" /> Log in again
        </>
      }
    >
      <LoginForm />
    </Dialog>
  );
}

/** A form that exchanges an operator's token for a session. The page does not store the token. */
function LoginForm() {
  const submit = useSubmit(async (form) => {
    const refusal = await logIn(textOf(form, 'token'));
    if (refusal === undefined) return;
    document.querySelector<HTMLInputElement>('[name=token]')?.select();
    throw new Error(refusal);
  });

  return (
    <>
      {sessionEnd.value !== undefined && (
        <p class="state" role="status">
          {sessionEnd}
        </p>
      )}
      <Form
        class="form"
        submit={submit}
        fields={
          <Field
            label="Your operator token, or the ADMIN_TOKEN"
            name="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            autofocus
          />
        }
      >
        <button type="submit" class="primary" aria-disabled={submit.isPending}>
          {submit.isPending ? 'Logging in…' : 'Log in'}
        </button>
      </Form>
      <p class="muted">
        No token yet? Run this command on the machine of the service:
        <br />
        <code>npm run operators -- create --name Ann --role owner</code>
      </p>
      <p class="muted">
        All tabs of this browser share your session. It ends after 30 minutes of inactivity, after 8
        hours, when you log out, or when you close all tabs of the console.
      </p>
    </>
  );
}

/** Begins a session. Returns the reason if this is not possible. */
async function logIn(token: string): Promise<string | undefined> {
  // A header cannot contain every character. For the `…` of a shortened token, `fetch` would fail
  // as if the service did not respond.
  if (/[^\x21-\x7e]/.test(token)) {
    return 'This text contains a character that no token contains, such as “…”. Paste the complete token, as it was shown when it was created.';
  }
  try {
    beginSession(await call('createSession', { token }));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof RefusedRequest)) {
    return 'The service does not respond. Check that it is running, and that your tunnel to it is open.';
  }
  return error.status === 401
    ? 'This token is wrong, expired or revoked. An owner can give you a new one.'
    : error.message;
}

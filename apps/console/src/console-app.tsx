import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { linkTo, type PageName, useAddress } from './address.ts';
import type { Operation } from './api/operation.ts';
import { isExpired, may, session } from './api/session.ts';
import { isWaiting } from './api/share-session.ts';
import type { IconName } from './components/icon.tsx';
import { isTokenShown, NewTokens } from './components/new-tokens.tsx';
import { announce, Notice } from './components/notice.tsx';
import { ShortcutHelp } from './components/shortcuts.tsx';
import { ConnectionBar } from './layout/connection-bar.tsx';
import { Header } from './layout/header.tsx';
import { AccountPage } from './pages/account/account-page.tsx';
import { AccountsPage } from './pages/accounts/accounts-page.tsx';
import { AuditPage } from './pages/audit/audit-page.tsx';
import { DeprecationPage } from './pages/deprecation/deprecation-page.tsx';
import { KeyPage } from './pages/key/key-page.tsx';
import { KeysPage } from './pages/keys/keys-page.tsx';
import { LoginDialog, LoginPage } from './pages/login/login-page.tsx';
import { NewKeyPage } from './pages/new-key/new-key-page.tsx';
import { OperatorsPage } from './pages/operators/operators-page.tsx';
import { OverviewPage } from './pages/overview/overview-page.tsx';

type PageEntry = {
  readonly title: string;
  readonly component: ComponentType<{ id: string }>;
  /**
   * The operation that the page calls. The page is hidden if the operator's role does not allow the
   * operation.
   */
  readonly needs: Operation;
} & (
  | {
      /** The icon of the page in the navigation. */
      readonly icon: IconName;
    }
  | {
      /**
       * The page whose entry in the navigation is highlighted while this page is open. Only pages
       * without their own entry need this property.
       */
      readonly under: PageName;
    }
);

const pages: Readonly<Record<PageName, PageEntry>> = {
  overview: { title: 'Overview', component: OverviewPage, needs: 'getOverview', icon: 'overview' },
  keys: { title: 'Keys', component: KeysPage, needs: 'listKeys', icon: 'keys' },
  key: { title: 'Key', component: KeyPage, needs: 'getKey', under: 'keys' },
  'new-key': { title: 'New key', component: NewKeyPage, needs: 'createKey', under: 'keys' },
  accounts: { title: 'Accounts', component: AccountsPage, needs: 'listAccounts', icon: 'accounts' },
  account: { title: 'Account', component: AccountPage, needs: 'getAccount', under: 'accounts' },
  audit: { title: 'Audit log', component: AuditPage, needs: 'listAuditEntries', icon: 'audit' },
  deprecation: {
    title: 'Deprecation',
    component: DeprecationPage,
    needs: 'getDeprecation',
    icon: 'deprecation',
  },
  operators: {
    title: 'Operators',
    component: OperatorsPage,
    needs: 'listOperators',
    icon: 'operators',
  },
};

export function App() {
  const { page, id } = useAddress();
  const entry = page && pages[page];
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);

  useEffect(() => {
    document.title = `${session.value === undefined || isExpired.value ? 'Log in' : (entry?.title ?? 'Not found')} · Animal Store console`;
  });
  // After a click on a link, the focus moves to the top of the new page, as after the load of a new
  // document. The focus moves before the first paint, because an operator may press the next key
  // immediately.
  useLayoutEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    announce('');
    scrollTo(0, 0);
  }, [page, id]);

  if (isWaiting.value) {
    return (
      <main class="login">
        <p class="state" role="status">
          Checking for a session in another tab…
        </p>
      </main>
    );
  }
  if (session.value === undefined) {
    return (
      <>
        <LoginPage />
        <NewTokens key="new-tokens" />
      </>
    );
  }
  return (
    <>
      <div key="page" class="frame" hidden={isExpired.value}>
        <button type="button" class="skip" onClick={() => main.current?.focus()}>
          Skip to the content
        </button>
        <Header pages={navigation()} current={entry && 'under' in entry ? entry.under : page} />
        <ConnectionBar />
        <Notice />
        <main ref={main} tabIndex={-1}>
          <Content key={`${page}/${id}`} entry={entry} id={id ?? ''} />
        </main>
        <ShortcutHelp />
      </div>
      {isExpired.value && !isTokenShown.value && <LoginDialog key="login" />}
      <NewTokens key="new-tokens" />
    </>
  );
}

/**
 * Returns the pages of the navigation. These are the pages that the operator may use, without
 * subpages.
 */
const navigation = () =>
  (Object.keys(pages) as PageName[]).flatMap((name) => {
    const entry = pages[name];
    return 'icon' in entry && may(entry.needs) ? [{ name, ...entry }] : [];
  });

function Content({ entry, id }: { entry: PageEntry | undefined; id: string }) {
  if (entry === undefined) {
    return (
      <>
        <h1>Page not found</h1>
        <p>
          No page has this address. <a href={linkTo('overview')}>Go to the overview.</a>
        </p>
      </>
    );
  }
  if (!may(entry.needs)) {
    return (
      <>
        <h1>{entry.title}</h1>
        <p class="state">
          Your role, {session.value?.session.operator.role}, does not allow you to see this page.
          Ask an owner for a token with another role.
        </p>
      </>
    );
  }
  return <entry.component id={id} />;
}

import { html } from 'htm/preact';
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { formatLocal } from './format.ts';
import type { Operation } from './operation.ts';
import { AccountPage } from './pages/account-page.ts';
import { AccountsPage } from './pages/accounts-page.ts';
import { AuditPage } from './pages/audit-page.ts';
import { DeprecationPage } from './pages/deprecation-page.ts';
import { KeyPage } from './pages/key-page.ts';
import { KeysPage } from './pages/keys-page.ts';
import { LoginDialog, LoginPage } from './pages/login-page.ts';
import { NewKeyPage } from './pages/new-key-page.ts';
import { OperatorsPage } from './pages/operators-page.ts';
import { OverviewPage } from './pages/overview-page.ts';
import { Icon } from './parts/icon.ts';
import { Name } from './parts/name.ts';
import { isTokenShown, NewTokens } from './parts/new-tokens.ts';
import { announce, Notice } from './parts/notice.ts';
import { SearchBox } from './parts/search-box.ts';
import { ShortcutButton, ShortcutHelp } from './parts/shortcuts.ts';
import { ViewMenu } from './parts/view-menu.ts';
import { unreachableSince } from './polling.ts';
import { linkTo, route } from './route.ts';
import { isExpired, may, session } from './session.ts';
import { isWaiting, logOut } from './share-session.ts';
import { linkInTime } from './time-range.ts';

interface PageEntry {
  readonly title: string;
  readonly component: ComponentType<{ id: string }>;
  /** The operation without which the page is of no use. */
  readonly needs: Operation;
  /** Which entry of the navigation it belongs to; `undefined` for its own. */
  readonly under?: string;
}

const pages: Readonly<Record<string, PageEntry>> = {
  overview: { title: 'Overview', component: OverviewPage, needs: 'getOverview' },
  keys: { title: 'Keys', component: KeysPage, needs: 'listKeys' },
  key: { title: 'Key', component: KeyPage, needs: 'getKey', under: 'keys' },
  'new-key': { title: 'New key', component: NewKeyPage, needs: 'createKey', under: 'keys' },
  accounts: { title: 'Accounts', component: AccountsPage, needs: 'listAccounts' },
  account: { title: 'Account', component: AccountPage, needs: 'getAccount', under: 'accounts' },
  audit: { title: 'Audit log', component: AuditPage, needs: 'listAuditEntries' },
  deprecation: { title: 'Deprecation', component: DeprecationPage, needs: 'getDeprecation' },
  operators: { title: 'Operators', component: OperatorsPage, needs: 'listOperators' },
};

export function App() {
  const { page, id } = route.value;
  const entry = pages[page];
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);

  useEffect(() => {
    document.title = `${session.value === undefined || isExpired.value ? 'Log in' : (entry?.title ?? 'Not found')} · Animal Store console`;
  });
  // Whoever follows a link goes on from the top of the new page. A fresh document starts there anyway.
  // Before the page is painted: who sees it may press the next key at once.
  useLayoutEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    announce('');
    scrollTo(0, 0);
  }, [page, id]);

  if (isWaiting.value) {
    return html`<main class="login"><p class="state" role="status">Looking for a session in another tab…</p></main>`;
  }
  if (session.value === undefined) {
    return html`<${LoginPage} /><${NewTokens} key="new-tokens" />`;
  }
  return html`
    <div key="page" class="frame" hidden=${isExpired.value}>
      <button type="button" class="skip" onClick=${() => main.current?.focus()}>Skip to the content</button>
      <${Header} current=${entry?.under ?? page} />
      <${ConnectionBar} />
      <${Notice} />
      <main ref=${main} tabindex=${-1}>
        <${Content} key=${`${page}/${id}`} entry=${entry} id=${id ?? ''} />
      </main>
      <${ShortcutHelp} />
    </div>
    ${isExpired.value && !isTokenShown.value && html`<${LoginDialog} key="login" />`}
    <${NewTokens} key="new-tokens" />
  `;
}

function Content({ entry, id }: { entry: PageEntry | undefined; id: string }) {
  if (entry === undefined) {
    return html`<h1>No such page</h1>
      <p>The address names none. <a href=${linkTo('overview')}>Go to the overview.</a></p>`;
  }
  if (!may(entry.needs)) {
    return html`<h1>${entry.title}</h1>
      <p class="state">
        Your role, ${session.value?.session.operator.role}, does not allow this. Ask an owner for a token
        with another role.
      </p>`;
  }
  return html`<${entry.component} id=${id} />`;
}

/** On a phone, the pages are behind a button. */
function Header({ current }: { current: string }) {
  const operator = session.value?.session.operator;
  const entries = Object.entries(pages).filter(
    ([, { under, needs }]) => under === undefined && may(needs),
  );

  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => menu.current?.hidePopover(), [route.value]);

  return html`<header>
    <a class="brand" href=${linkInTime('overview')}><${Icon} name="brand" /> <span>Animal Store</span></a>
    ${may('listKeys') && html`<${SearchBox} />`}
    <button type="button" class="fold" popovertarget="page-menu">Menu</button>
    <div ref=${menu} id="page-menu" class="menu" popover>
      <nav aria-label="Pages">
        ${entries.map(
          ([name, { title }]) => html`<a
            href=${linkInTime(name)}
            aria-current=${name === current ? 'page' : undefined}
          ><${Icon} name=${name} /> ${title}</a>`,
        )}
      </nav>
      <div class="who">
        <p><${Name} text=${operator?.name ?? null} /> <span class="muted">${operator?.role}</span></p>
        <${ViewMenu} />
        <${ShortcutButton} />
        <button type="button" class="quiet" onClick=${logOut}>Log out</button>
      </div>
    </div>
  </header>`;
}

/** Says when the service does not answer. It is always there, because only then changes of it are read out. */
function ConnectionBar() {
  const since = unreachableSince.value;
  return html`<div class="connection" role="status">
    ${
      since !== undefined &&
      html`<p>
        The service has not answered since ${formatLocal(new Date(since))}. What you see is older. Trying
        again every few seconds.
      </p>`
    }
  </div>`;
}

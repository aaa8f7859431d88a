import { html } from 'htm/preact';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { call, type Operation } from './call-admin-api.ts';
import { formatLocal } from './format.ts';
import { AuditPage } from './pages/audit-page.ts';
import { DeprecationPage } from './pages/deprecation-page.ts';
import { KeyPage } from './pages/key-page.ts';
import { KeysPage } from './pages/keys-page.ts';
import { LoginPage } from './pages/login-page.ts';
import { NewKeyPage } from './pages/new-key-page.ts';
import { OperatorsPage } from './pages/operators-page.ts';
import { OverviewPage } from './pages/overview-page.ts';
import { Name } from './parts/name.ts';
import { announce, Notice } from './parts/notice.ts';
import { unreachableSince } from './polling.ts';
import { linkTo, route } from './route.ts';
import { endSession, may, session } from './session.ts';

interface PageEntry {
  readonly title: string;
  readonly component: ComponentType<{ id: string }>;
  /** The operation without which the page is of no use. */
  readonly needs: Operation;
  /** Which entry of the navigation it belongs to; `undefined` for its own. */
  readonly under?: string;
}

/** The pages, by their name in the address. */
const pages: Readonly<Record<string, PageEntry>> = {
  overview: { title: 'Overview', component: OverviewPage, needs: 'getOverview' },
  keys: { title: 'Keys', component: KeysPage, needs: 'listKeys' },
  key: { title: 'Key', component: KeyPage, needs: 'getKey', under: 'keys' },
  'new-key': { title: 'New key', component: NewKeyPage, needs: 'createKey', under: 'keys' },
  audit: { title: 'Audit log', component: AuditPage, needs: 'listAuditEntries' },
  deprecation: { title: 'Deprecation', component: DeprecationPage, needs: 'listKeys' },
  operators: { title: 'Operators', component: OperatorsPage, needs: 'listOperators' },
};

export function App() {
  const { page, id } = route.value;
  const entry = pages[page];
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);

  useEffect(() => {
    document.title = `${session.value === undefined ? 'Log in' : (entry?.title ?? 'Not found')} · Animal Store console`;
  });
  // Whoever follows a link goes on from the top of the new page. A fresh document starts there anyway.
  useEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    announce('');
    scrollTo(0, 0);
  }, [page, id]);

  if (session.value === undefined) return html`<${LoginPage} />`;
  return html`
    <button type="button" class="skip" onClick=${() => main.current?.focus()}>Skip to the content</button>
    <${Header} current=${entry?.under ?? page} />
    <${ConnectionBar} />
    <${Notice} />
    <main ref=${main} tabindex=${-1}>
      <${Content} key=${`${page}/${id}`} entry=${entry} id=${id ?? ''} />
    </main>
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

function Header({ current }: { current: string }) {
  const operator = session.value?.session.operator;
  const entries = Object.entries(pages).filter(
    ([, { under, needs }]) => under === undefined && may(needs),
  );

  async function logOut(): Promise<void> {
    // The session ends by itself if the service cannot be told.
    await call('endSession').catch(() => {});
    endSession('You have logged out.');
  }

  return html`<header>
    <a class="brand" href=${linkTo('overview')}>Animal Store</a>
    <nav aria-label="Pages">
      ${entries.map(
        ([name, { title }]) => html`<a
          href=${linkTo(name)}
          aria-current=${name === current ? 'page' : undefined}
        >${title}</a>`,
      )}
    </nav>
    <p class="who">
      <${Name} text=${operator?.name ?? null} /> <span class="muted">${operator?.role}</span>
      <button type="button" class="plain" onClick=${logOut}>Log out</button>
    </p>
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

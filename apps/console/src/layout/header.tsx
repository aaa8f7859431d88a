import { useEffect, useRef } from 'preact/hooks';
import { type PageName, useAddress } from '../address.ts';
import { may, session } from '../api/session.ts';
import { logOut } from '../api/share-session.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import { Name } from '../components/name.tsx';
import { ShortcutButton } from '../components/shortcuts.tsx';
import { linkWithPeriod } from '../components/time/time-range.ts';
import { SearchBox } from './search-box.tsx';
import { ViewMenu } from './view-menu.tsx';

/**
 * The header of every page, which contains the navigation. On a phone, a button shows and hides the
 * navigation.
 */
export function Header({
  pages,
  current,
}: {
  /** The pages that the navigation links to. */
  pages: readonly {
    readonly name: PageName;
    readonly title: string;
    readonly icon: IconName;
  }[];
  current: PageName | undefined;
}) {
  const operator = session.value?.session.operator;
  const menu = useRef<HTMLDivElement>(null);
  const { page, id } = useAddress();
  useEffect(() => menu.current?.hidePopover(), [page, id]);

  return (
    <header>
      <a class="brand" href={linkWithPeriod('overview')}>
        <Icon name="brand" /> <span>Animal Store</span>
      </a>
      {may('listKeys') && <SearchBox />}
      <button type="button" class="fold" popovertarget="page-menu">
        Menu
      </button>
      <div ref={menu} id="page-menu" class="menu" popover>
        <nav aria-label="Pages">
          {pages.map(({ name, title, icon }) => (
            <a
              key={name}
              href={linkWithPeriod(name)}
              aria-current={name === current ? 'page' : undefined}
            >
              <Icon name={icon} /> {title}
            </a>
          ))}
        </nav>
        <div class="who">
          <p>
            <Name text={operator?.name ?? null} /> <span class="muted">{operator?.role}</span>
          </p>
          <ViewMenu />
          <ShortcutButton />
          <button type="button" class="quiet" onClick={logOut}>
            Log out
          </button>
        </div>
      </div>
    </header>
  );
}

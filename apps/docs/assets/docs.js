// This script adds features to pages that also work without it: the search, copy buttons, and the
// choice of a language on all pages.

const reading = document.documentElement.dataset;

// Links to an earlier version of the reference contain anchors such as #tag/animals/GET/pets. The
// script redirects such a link to the operation with this method and path.
const [, method, path] = /\/([A-Z]+)(\/.*)$/.exec(decodeURIComponent(location.hash)) ?? [];
if (path !== undefined) {
  const endpoint = `${method} /v1${path}`;
  const heads = [...document.querySelectorAll('h2 + p')];
  const head = heads.find(({ textContent }) => textContent === endpoint)?.previousElementSibling;
  if (head) location.replace(`#${head.id}`);
  else if (location.pathname === '/docs') location.replace(`/docs/api${location.hash}`);
}

openTarget();
addEventListener('hashchange', openTarget);
startSearch();
addPageCopy();
keepLanguage();
// These tasks run after the first paint, so that the text appears sooner. The style sheet reserves
// the space for the buttons, so the text does not move when the buttons appear.
afterPaint(() => {
  addCopyButtons();
  markSection();
});

/** Runs a task after the browser has painted the page. */
function afterPaint(task) {
  requestAnimationFrame(() => setTimeout(task));
}

/** If the address links to an element in a closed section of the page, opens this section. */
function openTarget() {
  const part = document.getElementById(location.hash.slice(1))?.closest('details');
  if (part) part.open = true;
}

function startSearch() {
  const box = document.querySelector('.search');
  const input = box.querySelector('input');
  const status = box.querySelector('[role="status"]');
  const list = box.querySelector('.found');
  let loading;
  box.hidden = false;

  // The search library and the search index are loaded only when a reader focuses the search field.
  const load = () => {
    loading ??= loadIndex().catch(() => {
      loading = undefined;
    });
    return loading;
  };
  const close = () => {
    list.replaceChildren();
    status.textContent = '';
  };
  const show = async () => {
    const query = input.value.trim();
    if (query === '') return close();
    const index = await load();
    // The reader has typed more text since this search began, so its result is not shown.
    if (query !== input.value.trim()) return;
    if (index === undefined) {
      status.textContent = 'The search cannot be loaded.';
      return;
    }
    const words = index.wordsOf(query.toLowerCase());
    if (words.length === 0) return close();
    const found = index.search(query);
    list.replaceChildren(...found.map((entry) => resultOf(entry, words)));
    status.textContent =
      found.length === 0 ? `No results for ${query}.` : `${found.length} results`;
    if (found.length === 0) list.append(textItem(status.textContent));
  };

  /** The element that had the focus before a keyboard shortcut moved it to the search field. */
  let previousFocus;
  input.addEventListener('focus', load);
  input.addEventListener('input', show);
  box.addEventListener('keydown', (event) => {
    const links = [input, ...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    if (event.key === 'Escape') {
      close();
      input.blur();
      previousFocus?.focus({ preventScroll: true });
      previousFocus = undefined;
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      links[Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1))]?.focus();
    } else if (event.key === 'Enter' && at === 0) {
      links[1]?.click();
    }
  });
  addEventListener('keydown', (event) => {
    const { target } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const isSlash = event.key === '/' && !isCommand && !target.matches('input, select, textarea');
    if (!isSlash && !(isCommand && event.key.toLowerCase() === 'k')) return;
    event.preventDefault();
    if (!box.contains(document.activeElement)) previousFocus = document.activeElement;
    input.focus({ preventScroll: true });
    input.select();
  });
  document.addEventListener('click', ({ target }) => {
    if (!box.contains(target) || target.closest('.found a')) close();
  });
}

/** Loads the search library and the headings of all pages, and builds the search index. */
async function loadIndex() {
  const [{ default: MiniSearch }, { createSearch, wordsOf }, response] = await Promise.all([
    import(reading.searchLibrary),
    import(reading.searchRules),
    fetch(reading.search),
  ]);
  if (!response.ok) throw new Error(response.statusText);
  return { search: createSearch(MiniSearch, await response.json()), wordsOf };
}

function resultOf({ title, page, text, path }, words) {
  const link = document.createElement('a');
  link.href = path;
  const where = document.createElement('span');
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 40);
  const excerpt = (at > 0 ? '…' : '') + text.slice(at, at + 120);
  where.textContent = page === title ? excerpt : `${page} · ${excerpt}`;
  link.append(title, where);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function textItem(text) {
  const item = document.createElement('li');
  const line = document.createElement('span');
  line.textContent = text;
  item.append(line);
  return item;
}

function addCopyButtons() {
  // Browsers allow pages to use the clipboard only over HTTPS or on localhost.
  if (navigator.clipboard === undefined) return;
  for (const figure of document.querySelectorAll('figure:has(pre)')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent);
      button.textContent = 'Copied';
      button.addEventListener('blur', () => (button.textContent = 'Copy'), { once: true });
    });
    figure.append(button);
  }
}

/** Adds a button that copies the page as Markdown, for use in another program. */
function addPageCopy() {
  const button = document.querySelector('.copy-page');
  const { href } = document.querySelector('link[type="text/markdown"]');
  if (button === null || navigator.clipboard === undefined) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const label = button.textContent;
    try {
      const response = await fetch(href);
      if (!response.ok) throw new Error(response.statusText);
      await navigator.clipboard.writeText(await response.text());
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Could not copy the page';
    }
    button.addEventListener('blur', () => (button.textContent = label), { once: true });
  });
}

function keepLanguage() {
  const choice = document.querySelector('.languages');
  const inputs = [...(choice?.querySelectorAll('input') ?? [])];
  const chosen = localStorage.getItem('language');
  for (const input of inputs) if (input.value === chosen) input.checked = true;
  // The samples are now in the language of an earlier visit, and may be longer or shorter than
  // before. If the address links to a section, this section has moved, so the page scrolls to it
  // again.
  if (chosen && location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  let shown = inputs.find(({ checked }) => checked);
  for (const input of inputs) {
    input.addEventListener('change', () => {
      localStorage.setItem('language', input.value);
      // When samples become longer or shorter, the page scrolls so that the text that the reader
      // sees stays in place. The script must do so for Safari. Other browsers keep the position by
      // themselves.
      shown.checked = true;
      const top = choice.getBoundingClientRect().bottom;
      const seen = [...document.querySelectorAll('main :is(h2, h3, h4, p, table, summary)')].find(
        (element) => element.getBoundingClientRect().bottom > top,
      );
      const before = seen?.getBoundingClientRect().top;
      input.checked = true;
      shown = input;
      if (seen) scrollBy({ top: seen.getBoundingClientRect().top - before, behavior: 'instant' });
    });
  }
}

/**
 * Marks the current section in the navigation and in the table of contents. A click on an entry
 * closes the list on a small screen.
 */
function markSection() {
  const lists = [...document.querySelectorAll('.pages, .contents')];
  for (const list of lists) {
    list.addEventListener('click', ({ target }) => {
      if (target.closest('a') && list.matches(':popover-open')) list.hidePopover();
    });
  }
  const links = new Map(
    [...document.querySelectorAll('.pages .inner a, .contents a')]
      .filter(({ pathname }) => pathname === location.pathname)
      .map((link) => [link.hash.slice(1), link]),
  );
  const heads = [...links.keys()].map((id) => {
    const head = document.getElementById(id);
    return { id, head, part: head.closest('.columns, .part') ?? head };
  });
  const isAbove = (element) => element.getBoundingClientRect().top < innerHeight / 3;
  let marked;
  const mark = () => {
    // The browser must lay out a section to find the position of a heading in it. This takes time,
    // so the script skips the headings of sections that the reader has not reached.
    const current = heads.findLast(({ head, part }) => isAbove(part) && isAbove(head));
    const link = links.get(current?.id);
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'true');
    marked = link;
  };
  if (heads.length === 0) return;
  mark();
  addEventListener('scroll', mark, { passive: true });
}

import { type DocsPage, type DocsPages, docsPaths } from './docs-page.ts';
import { style } from './docs-page-headers.ts';
import { escapeHtml } from './escape-html.ts';
import { guides } from './guides.ts';
import { contentsHtml } from './page-contents.ts';
import { methodBadge, renderMarkdown } from './render-markdown.ts';

/** The addresses of the files that every page loads. */
export interface DocsAssets {
  /** The address of the service, without a path. */
  readonly origin: string;
  readonly script: string;
  readonly icon: string;
  /** The script that sends requests from the page of operations. */
  readonly tryOut: string;
  /** The search library. */
  readonly searchLibrary: string;
  readonly searchRules: string;
}

/** Renders a page as HTML. The page is readable without JavaScript. */
export function docsPageHtml(page: DocsPage, pages: DocsPages, assets: DocsAssets): string {
  // A page with code next to the text has no table of contents, because both use the same column.
  const isWide = page === pages.home || page.path === docsPaths.operations;
  const { sections } = renderMarkdown(page.markdown);
  const contents = isWide ? '' : contentsHtml(sections);
  const { html } = renderMarkdown(page.markdown, actionsOf(page, assets.origin, contents !== ''));
  const title = page === pages.home ? page.title : `${page.title} · ${pages.home.title}`;
  return `<!doctype html>
<html lang="en" data-search="${docsPaths.search}" data-search-library="${assets.searchLibrary}" data-search-rules="${assets.searchRules}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(page.summary.replaceAll('`', ''))}">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="alternate" href="${page.markdownPath}" type="text/markdown">
<style>${style}</style>
<script src="${assets.script}" defer></script>${
    page.path === docsPaths.operations
      ? `
<script type="module" src="${assets.tryOut}"></script>`
      : ''
  }
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header class="top">
<a class="brand" href="${docsPaths.home}"><img src="${assets.icon}" width="24" height="24" alt=""><span>Animal Store API</span></a>
<search class="search" hidden>
<label class="unseen" for="query">Search the reference</label>
<input id="query" type="search" placeholder="Search the reference" aria-keyshortcuts="/ Control+K" autocomplete="off" spellcheck="false">
<p class="unseen" role="status"></p>
<ul class="found" aria-label="Results"></ul>
</search>
<nav aria-label="Reference">
<a class="tab" href="${docsPaths.operations}">Operations</a>
<a class="tab" href="${docsPaths.home}#errors">Errors</a>
<a class="tab" href="${docsPaths.changelog}">Changelog</a>
</nav>
<button class="to-pages" type="button" popovertarget="pages">Menu</button>
</header>
<div class="body${isWide ? ' wide' : ''}${contents === '' ? '' : ' contained'}">
<main id="text" tabindex="-1">
${html}
${neighbourLinks(page, pages)}
<p class="aside">For assistants: <a href="${docsPaths.llms}">a list of all pages as Markdown</a>.</p>
</main>
${contents}<nav class="pages" id="pages" popover aria-label="Pages">
${groupsOf(pages)
  .map((group) => groupHtml(group, page))
  .join('\n')}
</nav>
</div>
</body>
</html>
`;
}

/**
 * Renders the links below a page's title: the table of contents on a small screen, the page as
 * Markdown, and links to AI assistants.
 */
function actionsOf({ markdownPath }: DocsPage, origin: string, hasContents: boolean): string {
  const links = [
    hasContents &&
      `<button class="to-contents" type="button" popovertarget="contents">On this page</button>`,
    `<button class="copy-page" type="button" hidden>Copy page as Markdown</button>`,
    `<a href="${markdownPath}">View as Markdown</a>`,
    ...openIn(origin + markdownPath),
  ];
  return `<div class="actions">${links.filter(Boolean).join('\n')}</div>\n`;
}

/**
 * Renders links that open the page in an AI assistant. A local service has no such links, because
 * an assistant cannot reach it.
 */
function openIn(address: string): string[] {
  if (!address.startsWith('https:')) return [];
  const question = encodeURIComponent(`Read ${address} and answer my questions about this API.`);
  return [
    ['ChatGPT', 'https://chatgpt.com/?q='],
    ['Claude', 'https://claude.ai/new?q='],
  ].map(([name, url]) => `<a href="${url}${question}" rel="noreferrer">Open in ${name}</a>`);
}

interface Group {
  readonly title: string;
  readonly links: readonly {
    readonly path: string;
    readonly title: string;
    readonly page?: DocsPage;
  }[];
}

/** Groups the pages by the titles of the navigation. */
function groupsOf(pages: DocsPages): Group[] {
  const groups = Map.groupBy(pages.guides, (_, index) => guides[index]?.group ?? '');
  const linkTo = (page: DocsPage) => ({ path: page.path, title: page.title, page });
  return [
    ...[...groups].map(([title, own], index) => ({
      title,
      links: [
        ...(index === 0 ? [{ ...linkTo(pages.home), title: 'Overview' }] : []),
        ...own.map(linkTo),
      ],
    })),
    {
      title: 'Reference',
      links: [
        { path: `${docsPaths.home}#errors`, title: 'Error codes' },
        { path: '/openapi.json', title: 'openapi.json' },
        linkTo(pages.changelog),
      ],
    },
  ];
}

function groupHtml({ title, links }: Group, current: DocsPage): string {
  const id = `pages-${title.toLowerCase().replaceAll(' ', '-')}`;
  const items = links.map(({ path, title, page }) => {
    const mark = page === current ? ' aria-current="page"' : '';
    const inner = page?.path === docsPaths.operations ? operationLinks(page) : '';
    return `<li><a href="${path}"${mark}>${escapeHtml(title)}</a>${inner}</li>`;
  });
  return `<h2 id="${id}">${title}</h2>\n<ul aria-labelledby="${id}">\n${items.join('\n')}\n</ul>`;
}

/**
 * Renders links to all operations of the API. Every page has these links, because most readers look
 * for the operations.
 */
function operationLinks({ path, markdown }: DocsPage): string {
  const links = Array.from(
    markdown.matchAll(/^## (.+) \{#(\w+) \.columns\}\n\n\*\*`([A-Z]+) /gm),
    ([, title = '', id, method = '']) =>
      `<li><a href="${path}#${id}">${methodBadge(method)} ${escapeHtml(title)}</a></li>`,
  );
  return `<ul class="inner">${links.join('')}</ul>`;
}

/** Renders the links to the previous and the next page. */
function neighbourLinks(page: DocsPage, { home, guides, changelog }: DocsPages): string {
  const all = [home, ...guides, changelog];
  const at = all.indexOf(page);
  const [before, after] = [all[at - 1], all[at + 1]];
  const link = (to: DocsPage | undefined, rel: string, label: string) =>
    to &&
    `<a rel="${rel}" href="${to.path}"><span>${label}</span> ${escapeHtml(to === home ? 'Overview' : to.title)}</a>`;
  const links = [link(before, 'prev', 'Previous'), link(after, 'next', 'Next')];
  return `<nav class="turn" aria-label="Previous and next page">${links.filter(Boolean).join('\n')}</nav>`;
}

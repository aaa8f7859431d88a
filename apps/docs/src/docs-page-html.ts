import { type DocsPage, type DocsPages, docsPaths } from './docs-page.ts';
import { style } from './docs-page-headers.ts';
import { escapeHtml } from './escape-html.ts';
import { renderMarkdown } from './render-markdown.ts';

/** Files that the pages load, by their paths. */
export interface DocsAssets {
  readonly script: string;
  readonly icon: string;
  /** The script of the operations' page. */
  readonly tryOut: string;
}

/** Writes a page as HTML. It is whole without JavaScript. */
export function docsPageHtml(page: DocsPage, pages: DocsPages, assets: DocsAssets): string {
  const { html } = renderMarkdown(page.markdown);
  const title = page === pages.home ? page.title : `${page.title} · ${pages.home.title}`;
  return `<!doctype html>
<html lang="en" data-search="${docsPaths.search}">
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
<button class="to-pages" type="button" popovertarget="pages">Guides</button>
</header>
<div class="body">
<main id="text" tabindex="-1">
${html}
${turnOf(page, pages)}
<p class="aside">This page for assistants: <a href="${page.markdownPath}">Markdown</a>, <a href="${docsPaths.llms}">all pages</a>.</p>
</main>
<nav class="pages" id="pages" popover aria-labelledby="pages-title">
<h2 id="pages-title">Guides</h2>
<ul>
${[pages.home, ...pages.guides].map((other) => linkTo(other, page, pages)).join('\n')}
</ul>
<h2 id="more-title">Reference</h2>
<ul aria-labelledby="more-title">
<li><a href="${docsPaths.home}#errors">Error codes</a></li>
<li><a href="/openapi.json">openapi.json</a></li>
${linkTo(pages.changelog, page, pages)}
</ul>
</nav>
</div>
</body>
</html>
`;
}

function linkTo(page: DocsPage, current: DocsPage, { home }: DocsPages): string {
  const title = page === home ? 'Overview' : page.title;
  const mark = page === current ? ' aria-current="page"' : '';
  const inner = page.path === docsPaths.operations ? operationLinks(page) : '';
  return `<li><a href="${page.path}"${mark}>${escapeHtml(title)}</a>${inner}</li>`;
}

/** Links to the operations, on every page: they are what most readers look for. */
function operationLinks({ path, markdown }: DocsPage): string {
  const links = Array.from(
    markdown.matchAll(/^## (.+) \{#(\w+)\}$/gm),
    ([, title = '', id]) => `<li><a href="${path}#${id}">${escapeHtml(title)}</a></li>`,
  );
  return `<ul class="inner">${links.join('')}</ul>`;
}

/** Links to the guides before and after. */
function turnOf(page: DocsPage, { guides }: DocsPages): string {
  const at = guides.indexOf(page);
  if (at === -1) return '';
  const [before, after] = [guides[at - 1], guides[at + 1]];
  const links = [
    before && `<a rel="prev" href="${before.path}">← ${escapeHtml(before.title)}</a>`,
    after && `<a rel="next" href="${after.path}">${escapeHtml(after.title)} →</a>`,
  ];
  return `<nav class="turn" aria-label="Before and after">${links.filter(Boolean).join('\n')}</nav>`;
}

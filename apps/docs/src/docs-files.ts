import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createOpenApi, type OpenApiOptions } from '@animal-store/contract/openapi';
import {
  type DocsPage,
  type DocsPages,
  docsPaths,
  guideMarkdownPath,
  guidePath,
} from './docs-page.ts';
import { docsPageHeaders } from './docs-page-headers.ts';
import { writeDocsPages } from './docs-pages.ts';
import type { DocsNumbers } from './guide-values.ts';
import { guides } from './guides.ts';
import { headingAttributes } from './heading-attributes.ts';
import { llmsText } from './llms-text.ts';

const assets = new URL('../assets/', import.meta.url);

/** The addresses and settings that the pages show. */
export type DocsOptions = OpenApiOptions & DocsNumbers;

/** A file of `/docs`, ready for the server to send. */
export interface DocsFile {
  readonly type: string;
  readonly content: string;
  /**
   * Whether the path contains a hash of the content. If so, caches may keep the file without
   * revalidation.
   */
  readonly immutable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A function that creates a file at its first request. */
type FileSource = () => Promise<DocsFile>;

const types = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/**
 * Creates the pages of `/docs` and the files that they load, by path. A page is rendered at its
 * first request, so that the service starts faster.
 */
export function createDocsFiles(options: DocsOptions) {
  const pageSources = new Map<string, FileSource>();
  const fileSources = new Map<string, FileSource>();

  const addNamedByContent = (name: string, type: 'js' | 'svg', file?: URL) => {
    const content = readFileSync(file ?? new URL(`${name}.${type}`, assets), 'utf8');
    const path = `/docs/${name}.${hash('sha256', content, 'base64url').slice(0, 12)}.${type}`;
    fileSources.set(path, async () => ({ type: types[type], content, immutable: true }));
    return path;
  };
  const add = (
    path: string,
    type: keyof typeof types,
    write: () => string | Promise<string>,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    pageSources.set(path, async () => {
      return { type: types[type], content: await write(), immutable: false, headers };
    });
  };

  const icon = addNamedByContent('icon', 'svg');
  // Browsers request this icon for every file that does not name an icon, such as `openapi.json`.
  add('/favicon.ico', 'svg', () => readFileSync(new URL('icon.svg', assets), 'utf8'));
  const script = addNamedByContent('docs', 'js');
  // The pages load the search library when a reader opens the search.
  const searchLibrary = addNamedByContent(
    'minisearch',
    'js',
    new URL(import.meta.resolve('minisearch')),
  );
  const searchRules = addNamedByContent('search', 'js');
  const windowsPicture = addNamedByContent('windows', 'svg');
  const tryOut = addNamedByContent('try-out', 'js');

  const document = once(() => createOpenApi(options));
  add('/openapi.json', 'json', () => JSON.stringify(document()));

  // The modules that render Markdown are imported when the first page is requested. Most processes
  // never need them.
  const { origin } = options;
  const pages = once(() =>
    writeDocsPages({ origin, numbers: options, document: document(), windowsPicture }),
  );
  const addPage = (path: string, markdownPath: string, find: (pages: DocsPages) => DocsPage) => {
    const writeHtml = async () => {
      const { docsPageHtml } = await import('./docs-page-html.ts');
      const assets = { script, icon, tryOut, searchLibrary, searchRules };
      return docsPageHtml(find(pages()), pages(), { origin, ...assets });
    };
    add(path, 'html', writeHtml, docsPageHeaders(options.stagingOrigin));
    add(markdownPath, 'markdown', () => portableMarkdown(find(pages()), origin));
  };
  addPage(docsPaths.home, docsPaths.homeMarkdown, ({ home }) => home);
  addPage(docsPaths.changelog, docsPaths.changelogMarkdown, ({ changelog }) => changelog);
  for (const { name } of guides) {
    const path = guidePath(name);
    addPage(path, guideMarkdownPath(name), (all) => pageAt(all.guides, path));
  }
  add(docsPaths.search, 'json', async () => {
    const { searchIndex } = await import('./search-index.ts');
    return JSON.stringify(searchIndex(pages()));
  });
  add(docsPaths.llms, 'text', () => llmsText(origin, pages()));
  add(docsPaths.llmsFull, 'text', () => {
    const { home, guides, changelog } = pages();
    return [home, ...guides, changelog].map((page) => portableMarkdown(page, origin)).join('\n');
  });
  return { pages: pageSources, files: fileSources };
}

function pageAt(pages: readonly DocsPage[], path: string): DocsPage {
  const page = pages.find((page) => page.path === path);
  if (page === undefined)
    throw new TypeError(`No page has the path ${path}. Use one of the paths in \`docsPaths\`.`);
  return page;
}

/**
 * Returns the Markdown of a page for readers outside the site: all links are absolute, and headings
 * have no attributes.
 */
function portableMarkdown({ markdown }: DocsPage, origin: string): string {
  return markdown.replaceAll(headingAttributes, '$1').replaceAll('](/', `](${origin}/`);
}

/** Wraps a function so that it runs only at the first call. Later calls return the same result. */
function once<T>(create: () => T): () => T {
  let value: { readonly it: T } | undefined;
  return () => {
    value ??= { it: create() };
    return value.it;
  };
}

import type { GuideName } from './guides.ts';

/** A page of `/docs`. Its HTML is rendered from its Markdown. */
export interface DocsPage {
  readonly path: string;
  /** The path under which the page is available as Markdown. */
  readonly markdownPath: string;
  readonly title: string;
  /** A summary of the page: one sentence of Markdown. */
  readonly summary: string;
  readonly markdown: string;
}

/**
 * All pages of `/docs`: the home page, the guides in the order of the navigation, and the
 * changelog.
 */
export interface DocsPages {
  readonly home: DocsPage;
  readonly guides: readonly DocsPage[];
  readonly changelog: DocsPage;
}

/**
 * The paths of pages to which other modules refer. These constants let a module use a path without
 * reading any page.
 */
export const docsPaths = {
  home: '/docs',
  homeMarkdown: '/docs/index.md',
  operations: '/docs/guides/operations',
  changelog: '/docs/changelog',
  changelogMarkdown: '/docs/changelog.md',
  search: '/docs/search.json',
  llms: '/llms.txt',
  llmsFull: '/llms-full.txt',
} as const;

export const guidePath = (name: GuideName) => `/docs/guides/${name}`;
export const guideMarkdownPath = (name: GuideName) => `${guidePath(name)}.md`;

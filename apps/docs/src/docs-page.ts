import type { GuideName } from './guides.ts';

/** A page of the reference. Its one source is Markdown. */
export interface DocsPage {
  readonly path: string;
  /** The path of the Markdown. */
  readonly markdownPath: string;
  readonly title: string;
  /** One sentence, as Markdown. */
  readonly summary: string;
  readonly markdown: string;
}

/** The pages of the reference: the entry, the guides in their order, and the changelog. */
export interface DocsPages {
  readonly home: DocsPage;
  readonly guides: readonly DocsPage[];
  readonly changelog: DocsPage;
}

/** The paths of the pages. This reads no file. */
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

import { apiVersion } from '@animal-store/contract';
import type { JsonObject } from '@animal-store/contract/openapi';
import { createGuideValues, type GuideNumbers } from './guide-values.ts';
import { type GuideName, guides, readChangelog, readGuide } from './guides.ts';
import { homeMarkdown } from './home-markdown.ts';
import { operationsMarkdown } from './operations-markdown.ts';

/** A page of the reference. Its one source is Markdown. */
export interface DocsPage {
  readonly path: string;
  /** Where the Markdown is. */
  readonly markdownPath: string;
  readonly title: string;
  /** One sentence, as Markdown. */
  readonly summary: string;
  readonly markdown: string;
}

/** What the pages are made of. */
export interface DocsSources {
  readonly origin: string;
  readonly numbers: GuideNumbers;
  /** The OpenAPI document. */
  readonly document: JsonObject;
  readonly windowsPicture: string;
}

/** The pages of the reference: the entry, the guides in their order, and the changelog. */
export interface DocsPages {
  readonly home: DocsPage;
  readonly guides: readonly DocsPage[];
  readonly changelog: DocsPage;
}

/** Where the pages are. Nothing need be read to know it. */
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

/** The anchors that headings give themselves, as `## Title {#anchor}`: Markdown itself has none. */
export const ownAnchors = /^(#+ .*?)\s*\{#[\w.-]+\}$/gm;

export const guidePath = (name: GuideName) => `/docs/guides/${name}`;
export const guideMarkdownPath = (name: GuideName) => `${guidePath(name)}.md`;

/** Writes all pages. */
export function writeDocsPages(sources: DocsSources): DocsPages {
  const { origin, numbers, document, windowsPicture } = sources;
  const fillIn = createGuideValues(`${origin}/${apiVersion}`, numbers, { windowsPicture });
  const pages = guides.map(({ name }) =>
    pageOf({
      path: guidePath(name),
      markdownPath: guideMarkdownPath(name),
      markdown: fillIn(name === 'operations' ? operationsMarkdown(document) : readGuide(name)),
    }),
  );
  return {
    home: pageOf({
      path: docsPaths.home,
      markdownPath: docsPaths.homeMarkdown,
      markdown: homeMarkdown({ pages, document, fillIn }),
    }),
    guides: pages,
    changelog: pageOf({
      path: docsPaths.changelog,
      markdownPath: docsPaths.changelogMarkdown,
      markdown: fillIn(readChangelog()),
    }),
  };
}

function pageOf(page: Omit<DocsPage, 'title' | 'summary'>): DocsPage {
  const [, title, summary] = /^# (.+)\n\n(.+)\n/.exec(page.markdown) ?? [];
  if (title === undefined || summary === undefined) {
    throw new TypeError(`${page.path} does not begin with a title and a paragraph.`);
  }
  return { ...page, title, summary };
}

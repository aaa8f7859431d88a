import { apiVersion } from '@animal-store/contract';
import type { JsonObject } from '@animal-store/contract/openapi';
import {
  type DocsPage,
  type DocsPages,
  docsPaths,
  guideMarkdownPath,
  guidePath,
} from './docs-page.ts';
import { createGuideValues, type DocsNumbers } from './guide-values.ts';
import { guides, readChangelog, readGuide } from './guides.ts';
import { readHeading } from './heading-attributes.ts';
import { homeMarkdown } from './home-markdown.ts';
import { operationsMarkdown } from './operations-markdown.ts';

/** The values from which the pages are generated. */
export interface DocsSources {
  readonly origin: string;
  readonly numbers: DocsNumbers;
  /** The OpenAPI document of the service. */
  readonly document: JsonObject;
  readonly windowsPicture: string;
}

/** Generates the Markdown of all pages. */
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
  const [, head, summary] = /^# (.+)\n\n(.+)\n/.exec(page.markdown) ?? [];
  if (head === undefined || summary === undefined) {
    throw new TypeError(
      `The page ${page.path} does not begin with a title and a paragraph. Add them to its Markdown file.`,
    );
  }
  return { ...page, title: readHeading(head).title, summary };
}

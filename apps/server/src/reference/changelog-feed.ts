import { deprecations } from '@animal-store/contract';
import { releasesOf } from './changelog.ts';
import { docsPaths } from './docs-pages.ts';
import { escapeHtml, renderMarkdown } from './render-markdown.ts';

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly date: string;
  readonly link: string;
  readonly html: string;
}

/**
 * Writes the feed of the changelog: the releases, and the operations that were deprecated.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4287 for Atom.
 */
export function changelogFeed(origin: string, changelog: string): string {
  const entries = [...releases(origin, changelog), ...ends(origin)].sort((a, b) =>
    b.date.localeCompare(a.date),
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeHtml(origin + docsPaths.feed)}</id>
<title>Changes of the Animal Store API</title>
<updated>${entries[0]?.date ?? ''}</updated>
<author><name>Animal Store</name></author>
<link rel="self" type="application/atom+xml" href="${escapeHtml(origin + docsPaths.feed)}"/>
<link rel="alternate" type="text/html" href="${escapeHtml(origin + docsPaths.changelog)}"/>
${entries.map(writeEntry).join('\n')}
</feed>
`;
}

function releases(origin: string, changelog: string): Entry[] {
  return releasesOf(changelog).map(({ version, date, markdown }) => ({
    id: `${origin}${docsPaths.changelog}#release-${version}`,
    title: `Version ${version}`,
    date: `${date}T00:00:00Z`,
    link: `${origin}${docsPaths.changelog}#release-${version}`,
    html: renderMarkdown(markdown).html,
  }));
}

function ends(origin: string): Entry[] {
  return Object.entries(deprecations).map(([operation, { deprecatedAt, sunsetAt }]) => ({
    id: `${origin}/docs/guides/deprecation#${operation}`,
    title: `${operation} is deprecated and ends on ${sunsetAt.toISOString().slice(0, 10)}`,
    date: deprecatedAt.toISOString(),
    link: `${origin}/docs/guides/deprecation`,
    html: `<p>What to use instead is in the guide to deprecation and migration.</p>`,
  }));
}

function writeEntry({ id, title, date, link, html }: Entry): string {
  return `<entry>
<id>${escapeHtml(id)}</id>
<title>${escapeHtml(title)}</title>
<updated>${date}</updated>
<link rel="alternate" type="text/html" href="${escapeHtml(link)}"/>
<content type="html">${escapeHtml(html)}</content>
</entry>`;
}

import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { escapeHtml } from './escape-html.ts';

const languages = { bash, go, http, javascript, json, python, typescript };
for (const [name, language] of Object.entries(languages)) {
  highlighter.registerLanguage(name, language);
}
// The highlighter marks words with classes, which have a colour in the style sheet. Inline styles
// are not possible, because the Content-Security-Policy forbids them.
highlighter.configure({ classPrefix: 'hl-' });

/** Matches a class for which the style sheet has a colour. */
const coloured = /"hl-(?:attr|attribute|comment|keyword|literal|number|string)"/;

/**
 * Renders code as HTML, with a class for each coloured word. Code in an unknown language is only
 * escaped.
 */
export function highlightCode(code: string, language: string): string {
  if (highlighter.getLanguage(language) === undefined) return escapeHtml(code);
  const { value } = highlighter.highlight(code, { language });
  // The highlighter also escapes quotation marks, which is only necessary inside of attributes. So
  // this function restores the quotation marks.
  return joined(withoutPlain(value)).replaceAll('&quot;', '"').replaceAll('&#x27;', "'");
}

/**
 * Removes the elements whose class has no colour in the style sheet, because they would be a tenth
 * of the page size.
 */
function withoutPlain(html: string): string {
  const open: boolean[] = [];
  return html.replaceAll(/<span class="[^"]*">|<\/span>/g, (tag) => {
    if (tag !== '</span>') open.push(coloured.test(tag));
    const isKept = tag === '</span>' ? open.pop() : open.at(-1);
    return isKept ? tag : '';
  });
}

/**
 * Joins neighbouring elements of the same colour if only white space is between them, as between
 * two keywords. With fewer elements, the page appears sooner.
 */
function joined(html: string): string {
  return html.replaceAll(
    /<span class="([\w-]+)">[^<]*<\/span>(?:\s+<span class="\1">[^<]*<\/span>)+/g,
    (run, name: string) => `<span class="${name}">${run.replaceAll(/<\/?span[^>]*>/g, '')}</span>`,
  );
}

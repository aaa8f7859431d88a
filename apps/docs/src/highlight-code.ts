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
// The style sheet has the colours: the policy of the pages allows no styles within them.
highlighter.configure({ classPrefix: 'hl-' });

/** The kinds of words that the style sheet gives a colour. */
const coloured = /"hl-(?:attr|attribute|comment|keyword|literal|number|string)"/;

/** Writes code as HTML, with a class for each word that has a colour. Other languages stay as they are. */
export function highlightCode(code: string, language: string): string {
  if (highlighter.getLanguage(language) === undefined) return escapeHtml(code);
  const { value } = highlighter.highlight(code, { language });
  // Quotation marks are escaped for attributes, which code is never in.
  return withoutPlain(value).replaceAll('&quot;', '"').replaceAll('&#x27;', "'");
}

/** Removes the elements that have no colour: they would be a tenth of a page. */
function withoutPlain(html: string): string {
  const open: boolean[] = [];
  return html.replaceAll(/<span class="[^"]*">|<\/span>/g, (tag) => {
    if (tag !== '</span>') open.push(coloured.test(tag));
    const isKept = tag === '</span>' ? open.pop() : open.at(-1);
    return isKept ? tag : '';
  });
}

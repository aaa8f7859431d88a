import { escapeHtml } from './escape-html.ts';

/** Patterns of the kinds of words that have a colour, in each language of code blocks. */
const strings = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/;
const numbers = /\b\d[\d_.]*n?\b/;
const slashComments = /\/\/.*|\/\*[\s\S]*?\*\//;
const words = (list: string) => new RegExp(`\\b(?:${list.replaceAll(' ', '|')})\\b`);

const script = {
  comment: slashComments,
  string: strings,
  keyword: words(
    'as async await break case catch class const continue default else export extends false finally for from function if import in instanceof interface let new null of readonly return switch throw true try type typeof undefined var while',
  ),
  number: numbers,
};
const languages: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ts: script,
  js: script,
  typescript: script,
  sh: {
    comment: /(?<=^|\s)#.*/m,
    string: /"(?:\\.|[^"\\])*"|'[^']*'/,
    keyword: words('curl export'),
  },
  python: {
    comment: /#.*/,
    string: /"""[\s\S]*?"""|[rf]?"(?:\\.|[^"\\\n])*"|[rf]?'(?:\\.|[^'\\\n])*'/,
    keyword: words(
      'and as def else except False for from global if import in is None not or pass raise return True try while with yield',
    ),
    number: numbers,
  },
  go: {
    comment: slashComments,
    string: /"(?:\\.|[^"\\\n])*"|`[^`]*`/,
    keyword: words(
      'const default defer else false for func if import map nil package range return struct switch true type var',
    ),
    number: numbers,
  },
  json: { string: strings, keyword: words('true false null'), number: /-?\b\d[\d.]*\b/ },
  http: { string: /"[^"\n]*"/ },
};

/** Writes code as HTML, with a class for each word that has a colour. Other languages stay as they are. */
export function highlightCode(code: string, language: string): string {
  const kinds = Object.entries(languages[language] ?? {});
  if (kinds.length === 0) return escapeHtml(code);
  const pattern = new RegExp(
    kinds.map(([kind, { source }]) => `(?<${kind}>${source})`).join('|'),
    'gm',
  );
  let html = '';
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    html += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(at));
}

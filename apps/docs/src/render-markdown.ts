import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { escapeHtml } from './escape-html.ts';
import { highlightCode } from './highlight-code.ts';

/** A heading of a page, with the text below it up to the next one. */
export interface Section {
  /** Its anchor; empty for the beginning of the page. */
  readonly id: string;
  readonly depth: number;
  readonly title: string;
  readonly text: string;
}

/** Languages of samples in the order of the choice, by their names in code blocks. */
const languages: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript client',
  js: 'JavaScript (fetch)',
  python: 'Python',
  go: 'Go',
};

/** An anchor that a heading gives itself: `## Title {#anchor}`. */
const ownAnchor = /\s*\{#([\w.-]+)\}$/;

/** Parts of operations that open when they are asked for: all together would be twenty screens of a phone. */
const foldedAnchor = /-answers?$/;

/** Renders a page, and finds its sections. */
export function renderMarkdown(markdown: string): { html: string; sections: Section[] } {
  const tokens = new Marked().lexer(markdown);
  const anchors = anchorsOf(tokens);
  const marked = new Marked({ renderer: rendererFor(anchors) });
  let isFolded = false;
  const parts = groupSamples(tokens).map((part) => {
    if (Array.isArray(part)) return part.map(sampleHtml).join('');
    const inner = marked.parser([part]);
    if (!isHeading(part)) return inner;
    const end = isFolded ? '</details>\n' : '';
    isFolded = foldedAnchor.test(anchors.get(part) ?? '');
    return end + (isFolded ? `<details class="fold"><summary>${inner.trim()}</summary>\n` : inner);
  });
  const html = (parts.join('') + (isFolded ? '</details>\n' : ''))
    // Below the title, so that it is in sight wherever a link leads.
    .replace('</h1>\n', (title) => title + choiceOf(tokens));
  return { html, sections: sectionsOf(tokens, anchors) };
}

/** Gives each heading below the title an anchor that no other heading of the page has. */
function anchorsOf(tokens: readonly Token[]): ReadonlyMap<Token, string> {
  const anchors = new Map<Token, string>();
  const used = new Set<string>();
  for (const token of tokens) {
    if (!isHeading(token) || token.depth === 1) continue;
    const wanted = ownAnchor.exec(token.text)?.[1] ?? slugOf(token.text);
    let anchor = wanted;
    for (let number = 2; used.has(anchor); number += 1) anchor = `${wanted}-${number}`;
    used.add(anchor);
    anchors.set(token, anchor);
  }
  return anchors;
}

function rendererFor(anchors: ReadonlyMap<Token, string>): RendererObject {
  return {
    heading(token) {
      const inner = this.parser.parseInline(withoutAnchor(token.tokens));
      const anchor = anchors.get(token);
      if (anchor === undefined) return `<h${token.depth}>${inner}</h${token.depth}>\n`;
      // A heading that is a link leads there; any other leads to itself, so that its address can be copied.
      const content =
        inner.includes('<a ') || foldedAnchor.test(anchor)
          ? inner
          : `<a class="here" href="#${anchor}">${inner}</a>`;
      return `<h${token.depth} id="${anchor}">${content}</h${token.depth}>\n`;
    },
    code({ text, lang = '' }) {
      return figureOf(text, lang);
    },
    table({ header, rows }) {
      // A phone shows each cell of long ones on a line of its own, with the name of its column.
      const isLong =
        header.length > 2 && rows.some((row) => row.some(({ text }) => text.length > 40));
      const cellHtml = ({ tokens, align, header: isHead }: Tokens.TableCell, column: number) => {
        const inner = this.parser.parseInline(tokens);
        const side = align === null ? '' : ` align="${align}"`;
        if (isHead) return `<th${side}>${inner}</th>`;
        const label =
          isLong && column > 0 ? ` data-label="${escapeHtml(header[column]?.text ?? '')}"` : '';
        return `<td${side}${label}>${inner}</td>`;
      };
      const row = (cells: Tokens.TableCell[]) => `<tr>${cells.map(cellHtml).join('')}</tr>`;
      // It scrolls by itself on a phone, so the keyboard must reach it.
      return `<div class="scroll${isLong ? ' long' : ''}" tabindex="0" role="group" aria-label="Table"><table><thead>${row(header)}</thead><tbody>${rows.map(row).join('')}</tbody></table></div>\n`;
    },
    // The sources are ours, but what they quote is not HTML.
    html({ text }) {
      return escapeHtml(text);
    },
  };
}

function sectionsOf(tokens: readonly Token[], anchors: ReadonlyMap<Token, string>): Section[] {
  const sections: (Omit<Section, 'text'> & { texts: string[] })[] = [];
  for (const token of tokens) {
    if (isHeading(token)) {
      const title = plainText(token.text.replace(ownAnchor, ''));
      sections.push({ id: anchors.get(token) ?? '', depth: token.depth, title, texts: [] });
    } else if (token.type !== 'space') {
      sections.at(-1)?.texts.push(plainText(token.raw));
    }
  }
  return sections.map(({ texts, ...section }) => ({ ...section, text: texts.join(' ') }));
}

/** Puts code blocks of several languages that follow each other into groups, of which one is shown. */
function groupSamples(tokens: readonly Token[]): (Token | Tokens.Code[])[] {
  const parts: (Token | Tokens.Code[])[] = [];
  let run: Tokens.Code[] = [];
  const endRun = () => {
    parts.push(...(run.length > 1 ? [run] : run));
    run = [];
  };
  for (const token of tokens) {
    if (isSample(token)) run.push(token);
    else if (token.type !== 'space') {
      endRun();
      parts.push(token);
    }
  }
  endRun();
  return parts;
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

function isSample(token: Token): token is Tokens.Code {
  return token.type === 'code' && String(token['lang']) in languages;
}

function sampleHtml({ text, lang = '' }: Tokens.Code): string {
  return figureOf(text, lang, ` class="sample" data-language="${lang}"`);
}

function figureOf(text: string, lang: string, attributes = ''): string {
  const name = languages[lang];
  const caption = name === undefined ? '' : `<figcaption>${name}</figcaption>`;
  // It scrolls by itself, so the keyboard must reach it.
  return `<figure${attributes}>${caption}<pre tabindex="0"><code>${highlightCode(text, lang)}</code></pre></figure>\n`;
}

/** The choice of a language, for all samples of a page. It works by the style sheet alone. */
function choiceOf(tokens: readonly Token[]): string {
  const there = new Set(
    groupSamples(tokens).flatMap((part) =>
      Array.isArray(part) ? part.map(({ lang }) => lang) : [],
    ),
  );
  const [first] = there;
  if (first === undefined) return '';
  const options = Object.entries(languages)
    .filter(([name]) => there.has(name))
    .map(
      ([name, label]) =>
        `<label><input type="radio" name="language" id="show-${name}" value="${name}"${name === first ? ' checked' : ''}>${label}</label>`,
    );
  return `<fieldset class="languages"><legend>Samples in</legend>${options.join('')}</fieldset>`;
}

function withoutAnchor(tokens: readonly Token[]): Token[] {
  const last = tokens.at(-1);
  if (last?.type !== 'text') return [...tokens];
  const text = (last as Tokens.Text).text.replace(ownAnchor, '');
  return [...tokens.slice(0, -1), { ...last, text }];
}

function slugOf(title: string): string {
  return plainText(title)
    .toLowerCase()
    .replaceAll(/[^\w\s.-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');
}

/** The text of Markdown without its marks, for the search. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^```.*$/gm, '')
    .replaceAll(/^\|?[-:| ]+\|$/gm, '')
    .replaceAll(/[`*|]/g, '')
    .replaceAll(/^#+ /gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

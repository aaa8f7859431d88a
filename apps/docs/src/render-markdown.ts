import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { escapeHtml } from './escape-html.ts';
import { readHeading } from './heading-attributes.ts';
import {
  answersHtml,
  figureOf,
  groupSamples,
  isAnswer,
  isSample,
  languageChoice,
  languageName,
  samplesHtml,
} from './render-code.ts';

/** A heading of a page, with the text up to the next heading. */
export interface Section {
  /** The anchor of the heading; empty for the text before the first heading. */
  readonly id: string;
  readonly depth: number;
  readonly title: string;
  readonly text: string;
}

/** A heading and its tokens, up to the next heading of the same level. */
interface Part {
  readonly heading: Tokens.Heading | undefined;
  readonly own: Token[];
  readonly parts: Part[];
}

/**
 * Matches the anchors of sections that are closed until the reader opens them. If they were open,
 * they would fill about twenty screens of a phone.
 */
const foldedAnchor = /-answers?$/;

/** Matches a paragraph that contains only the method and the path of an operation. */
const endpoint = /^\*\*`([A-Z]+) (\S+)`\*\*$/;

/**
 * Renders the Markdown of a page as HTML, and collects its sections.
 *
 * @param belowTitle HTML to insert after the title.
 */
export function renderMarkdown(
  markdown: string,
  belowTitle = '',
): { html: string; sections: Section[] } {
  const tokens = new Marked().lexer(markdown);
  const anchors = anchorsOf(tokens);
  const marked = new Marked({ renderer: rendererFor(anchors) });
  const classesOf = ({ heading }: Part) =>
    heading === undefined ? [] : readHeading(heading.text).classes;
  const [first, ...others] = partsOf(tokens);
  const isWide = first !== undefined && classesOf(first).includes('columns');

  const blocksHtml = (own: readonly Token[]): string =>
    groupSamples(own)
      .map((part) => (Array.isArray(part) ? samplesHtml(part) : marked.parser([part])))
      .join('');

  function partHtml(part: Part): string {
    const classes = classesOf(part);
    if (classes.includes('columns')) return columnsHtml(part);
    const { heading, own, parts } = part;
    const title = heading === undefined ? '' : marked.parser([heading]);
    const inner = blocksHtml(own);
    if (heading !== undefined && foldedAnchor.test(anchors.get(heading) ?? '')) {
      const below = parts.map(partHtml).join('');
      return `<details class="fold"><summary>${title.trim()}</summary>\n${inner}${below}</details>\n`;
    }
    if (!classes.includes('cards')) {
      const html = title + inner + parts.map(partHtml).join('');
      return heading?.depth === 2 && !isWide ? `<section class="part">${html}</section>\n` : html;
    }
    const cards = parts.map((card) => `<li>${partHtml(card)}</li>\n`).join('');
    return `${title}${inner}<ul class="cards">\n${cards}</ul>\n`;
  }

  /**
   * Renders a section in two columns: the text, and next to it the samples and responses. On a
   * phone, the samples stay where they are in the text.
   */
  function columnsHtml(part: Part): string {
    const { heading } = part;
    const isTitle = heading?.depth === 1;
    const before: string[] = heading === undefined ? [] : [marked.parser([heading])];
    if (isTitle) before.push(belowTitle);
    const side: Token[] = part.own.filter(isBeside);
    const answers: Tokens.Code[] = part.own.filter(isAnswer);
    before.push(blocksHtml(part.own.filter((token) => !isBeside(token) && !isAnswer(token))));
    const after: string[] = [];
    let sideHtml = '';
    for (const child of part.parts) {
      if (classesOf(child).includes('side')) {
        sideHtml += partHtml(child);
      } else {
        const [rest, own] = withoutAnswers(child);
        answers.push(...own);
        (sideHtml === '' ? before : after).push(partHtml(rest));
      }
    }
    sideHtml += blocksHtml(side);
    if (answers.length > 0) {
      sideHtml += answersHtml(answers, `answer-${heading && anchors.get(heading)}`);
    }
    const below = after.length === 0 ? '' : `<div class="after">${after.join('')}</div>`;
    return `<section class="columns${heading?.depth === 2 ? ' ruled' : ''}"><div class="before">${before.join('')}</div><div class="side">${sideHtml}</div>${below}</section>\n`;
  }

  const head = first === undefined ? '' : partHtml({ ...first, parts: [] });
  const html = [
    // The choice of a language is directly below the title. It stays visible when a link leads to a
    // later section.
    isWide ? head : head.replace('</h1>\n', (title) => title + belowTitle + languageChoice(tokens)),
    isWide ? languageChoice(tokens.filter((token) => !first?.own.includes(token))) : '',
    ...(first?.parts ?? []).map(partHtml),
    ...others.map(partHtml),
  ].join('');
  return { html, sections: sectionsOf(tokens, anchors) };
}

/**
 * Returns whether a Markdown token belongs in the column of code, which contains requests, and
 * responses with their headers.
 */
function isBeside(token: Token): token is Tokens.Code {
  return isSample(token) || (token.type === 'code' && token['lang'] === 'http');
}

/** Separates the responses of a section from its other tokens. */
function withoutAnswers({ heading, own, parts }: Part): [Part, Tokens.Code[]] {
  const inner = parts.map(withoutAnswers);
  const rest = {
    heading,
    own: own.filter((token) => !isAnswer(token)),
    parts: inner.map(([part]) => part),
  };
  return [rest, [...own.filter(isAnswer), ...inner.flatMap(([, answers]) => answers)]];
}

/** Groups tokens into sections below their headings. */
function partsOf(tokens: readonly Token[]): Part[] {
  const root: Part = { heading: undefined, own: [], parts: [] };
  let path: Part[] = [root];
  for (const token of tokens) {
    if (isHeading(token)) {
      const part: Part = { heading: token, own: [], parts: [] };
      path = path.filter(({ heading }) => heading === undefined || heading.depth < token.depth);
      path.at(-1)?.parts.push(part);
      path.push(part);
    } else {
      path.at(-1)?.own.push(token);
    }
  }
  return root.parts;
}

/** Assigns each heading below the title an anchor that is unique on the page. */
function anchorsOf(tokens: readonly Token[]): ReadonlyMap<Token, string> {
  const anchors = new Map<Token, string>();
  const used = new Set<string>();
  for (const token of tokens) {
    if (!isHeading(token) || token.depth === 1) continue;
    const { title, anchor: own } = readHeading(token.text);
    const wanted = own ?? slugOf(title);
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
      const inner = this.parser.parseInline(withoutAttributes(token.tokens));
      const anchor = anchors.get(token);
      if (anchor === undefined) return `<h${token.depth}>${inner}</h${token.depth}>\n`;
      // If a heading contains a link, the heading keeps this link. Any other heading links to
      // itself, so that readers can copy its address.
      const content =
        inner.includes('<a ') || foldedAnchor.test(anchor)
          ? inner
          : `<a class="here" href="#${anchor}">${inner}</a>`;
      return `<h${token.depth} id="${anchor}">${content}</h${token.depth}>\n`;
    },
    paragraph({ text, tokens }) {
      const [, method, path = ''] = endpoint.exec(text) ?? [];
      if (method === undefined) return `<p>${this.parser.parseInline(tokens)}</p>\n`;
      return `<p class="endpoint">${methodBadge(method)} <code>${escapeHtml(path)}</code></p>\n`;
    },
    code(token) {
      return figureOf(token);
    },
    table({ header, rows }) {
      // On a phone, each cell of a long table is on its own line, with the name of its column.
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
      // On a phone, the table has its own scroll bar. It must be focusable, so that a reader can
      // scroll it with the keyboard.
      return `<div class="scroll${isLong ? ' long' : ''}" tabindex="0" role="group" aria-label="Table"><table><thead>${row(header)}</thead><tbody>${rows.map(row).join('')}</tbody></table></div>\n`;
    },
    // Text in angle brackets is escaped, because the guides contain no HTML, and such text must be
    // visible.
    html({ text }) {
      return escapeHtml(text);
    },
  };
}

/** Renders the method of an operation as a coloured label. */
export function methodBadge(method: string): string {
  return `<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function sectionsOf(tokens: readonly Token[], anchors: ReadonlyMap<Token, string>): Section[] {
  const sections: (Omit<Section, 'text'> & { texts: string[] })[] = [];
  for (const token of tokens) {
    if (isHeading(token)) {
      const title = plainText(readHeading(token.text).title);
      sections.push({ id: anchors.get(token) ?? '', depth: token.depth, title, texts: [] });
    } else if (token.type !== 'space') {
      sections.at(-1)?.texts.push(plainText(token.raw));
    }
  }
  return sections.map(({ texts, ...section }) => ({ ...section, text: texts.join(' ') }));
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

function withoutAttributes(tokens: readonly Token[]): Token[] {
  const last = tokens.at(-1);
  if (last?.type !== 'text') return [...tokens];
  const text = readHeading((last as Tokens.Text).text).title;
  return [...tokens.slice(0, -1), { ...last, text }];
}

function slugOf(title: string): string {
  return plainText(title)
    .toLowerCase()
    .replaceAll(/[^\w\s.-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');
}

/** Removes the Markdown syntax from a text, for the search index. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^```(\w*).*$/gm, (_, language: string) => languageName(language))
    .replaceAll(/^\|?[-:| ]+\|$/gm, '')
    .replaceAll(/[`*|]/g, '')
    .replaceAll(/^#+ /gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

import type { Token, Tokens } from 'marked';
import { highlightCode } from './highlight-code.ts';

/**
 * The languages of code samples. A key is the name of the language in a code block, such as `ts`.
 */
const languages: Readonly<Record<string, { readonly tab: string; readonly caption: string }>> = {
  sh: { tab: 'curl', caption: 'curl' },
  ts: { tab: 'TypeScript', caption: 'TypeScript client' },
  js: { tab: 'JavaScript', caption: 'JavaScript (fetch)' },
  python: { tab: 'Python', caption: 'Python' },
  go: { tab: 'Go', caption: 'Go' },
};

/**
 * Returns the full name of a language. The search index contains the full name instead of the short
 * one.
 */
export const languageName = (language: string): string => languages[language]?.caption ?? '';

/** Matches the language of a code block that shows a response, such as `json 429`. */
const answerLanguage = /^json (\d{3})$/;

/**
 * Returns whether a Markdown token is a code sample. Readers see code samples in the language of
 * their choice.
 */
export function isSample(token: Token): token is Tokens.Code {
  return token.type === 'code' && String(token['lang']) in languages;
}

/** Returns whether a Markdown token is a code block with the response of an operation. */
export function isAnswer(token: Token): token is Tokens.Code {
  return token.type === 'code' && answerLanguage.test(String(token['lang']));
}

/**
 * Renders samples of the same code in several languages. The page shows the language that the
 * reader has chosen.
 */
export function samplesHtml(samples: readonly Tokens.Code[]): string {
  const [first, ...others] = samples;
  if (first === undefined) return '';
  if (others.length === 0) return figureOf(first);
  return samples
    .map((sample) => figureOf(sample, ` class="sample" data-language="${sample.lang}"`))
    .join('');
}

/**
 * Renders the responses of an operation. The page shows the response whose status the reader
 * selects. The selection needs no script.
 *
 * @param name a name for the group that is unique on the page.
 */
export function answersHtml(answers: readonly Tokens.Code[], name: string): string {
  const byStatus = Map.groupBy(answers, ({ lang = '' }) => answerLanguage.exec(lang)?.[1] ?? '');
  const choices = [...byStatus].map(([status, codes], index) => {
    const checked = index === 0 ? ' checked' : '';
    const text = codes.map((code) => code.text).join('\n');
    return `<label><input type="radio" name="${name}"${checked}>${status}</label>${codeFigure(text, 'json')}`;
  });
  return `<fieldset class="answers"><legend>Response</legend>${choices.join('')}</fieldset>\n`;
}

export function figureOf({ text, lang = '' }: Tokens.Code, attributes = ''): string {
  return codeFigure(text, lang, attributes);
}

function codeFigure(text: string, lang: string, attributes = ''): string {
  const caption = languages[lang]?.caption;
  // The code block has its own scroll bar. It must be focusable, so that a reader can scroll it
  // with the keyboard.
  return `<figure${attributes}>${caption === undefined ? '' : `<figcaption>${caption}</figcaption>`}<pre tabindex="0"><code>${highlightCode(text, lang)}</code></pre></figure>`;
}

/** Groups neighbouring code blocks that contain the same sample in different languages. */
export function groupSamples(tokens: readonly Token[]): (Token | Tokens.Code[])[] {
  const parts: (Token | Tokens.Code[])[] = [];
  let run: Tokens.Code[] = [];
  const endRun = () => {
    if (run.length > 0) parts.push(run);
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

/** Renders the choice of a language for all samples of a page. The choice needs no script. */
export function languageChoice(tokens: readonly Token[]): string {
  const there = new Set(
    groupSamples(tokens).flatMap((part) =>
      Array.isArray(part) && part.length > 1 ? part.map(({ lang }) => lang) : [],
    ),
  );
  const [first] = there;
  if (first === undefined) return '';
  const options = Object.entries(languages)
    .filter(([name]) => there.has(name))
    .map(
      ([name, { tab }]) =>
        `<label><input type="radio" name="language" id="show-${name}" value="${name}"${name === first ? ' checked' : ''}>${tab}</label>`,
    );
  return `<fieldset class="languages"><legend>Samples in</legend>${options.join('')}</fieldset>\n`;
}

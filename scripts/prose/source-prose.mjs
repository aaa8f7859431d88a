// A textlint plugin that finds the prose in source files: comments, test titles, messages, and the
// texts of the console. textlint itself only reads Markdown.

import jsTokens from 'js-tokens';

/**
 * Patterns for the comments of languages other than JavaScript and TypeScript, by file extension.
 * Files without an extension are listed by name.
 */
const lineComments = new Map([
  ...['.sh', '.py', '.yaml', '.yml', '.env', '.cfg', 'Dockerfile', '.dockerignore', 'run'].map(
    (ext) => [ext, /(?<=^|\s)#+(?= ).*/gm],
  ),
  ...['.sql', '.lua'].map((ext) => [ext, /--+(?= ).*/g]),
  ...['.go', '.json'].map((ext) => [ext, /\/\/+(?= ).*/g]),
  ['.css', /\/\*[\s\S]*?\*\//g],
]);

const scripts = ['.ts', '.tsx', '.js', '.mjs'];

/**
 * Replaces a text by spaces of the same length, so that positions in the prose are also positions
 * in the file.
 */
const blank = (text) => text.replace(/[^\n]/g, ' ');

/**
 * Matches the parts of a comment that are not prose: comment marks, JSDoc tags, links, and code in
 * backticks.
 */
const commentMarks = /^\/\*+|\*\/$|^[ \t]*(\*(?!\/)|\/\/+|#+|--+)|@[\w.]+( \S+)?|\{@link \S+\}/gm;

class Processor {
  constructor(config = {}) {
    this.config = config;
  }

  availableExtensions() {
    return [...scripts, ...lineComments.keys()];
  }

  processor(extension) {
    return {
      preProcess: (text) => parse(text, findProse(text, extension)),
      postProcess: (messages, filePath) => ({ messages, filePath: filePath ?? '<text>' }),
    };
  }
}

/**
 * Finds the paragraphs of a file. `at` is the position of a paragraph, and `prose` is its text with
 * the same length as in the file.
 */
function findProse(text, extension) {
  const pieces = scripts.includes(extension)
    ? readScript(text, extension === '.tsx')
    : [...text.matchAll(lineComments.get(extension))].map(({ index, 0: value }) => ({
        at: index,
        value,
        isComment: true,
      }));
  return joinLines(text, pieces).flatMap(({ at, value, isComment }) =>
    isComment ? splitParagraphs(at, value.replace(commentMarks, blank)) : [{ at, prose: value }],
  );
}

/**
 * Finds comments, and strings of at least three words. Tagged templates are left out, because they
 * contain code such as SQL. Strings that start with a bar are left out, because they are rows of a
 * table.
 */
function readScript(text, jsx) {
  const pieces = [];
  let at = 0;
  let before = '';
  for (const { type, value } of jsTokens(text, { jsx })) {
    const isComment = type.endsWith('Comment');
    const isText = /^(StringLiteral|JSXText|NoSubstitutionTemplate|Template)/.test(type);
    const isTagged = value.startsWith('`') && /\w$/.test(before);
    if (isComment) pieces.push({ at, value, isComment });
    else if (isText && !isTagged && /\S\s+\S+\s+\S/.test(value) && !/^.\|/.test(value)) {
      pieces.push({ at, value: value.replace(/^['"`}]|(['"`]|\$\{)$/g, blank), isComment });
    }
    at += value.length;
    before = value;
  }
  return pieces;
}

/** Joins line comments on consecutive lines into one text. */
function joinLines(text, pieces) {
  const joined = [];
  for (const { at, value, isComment } of pieces) {
    const last = joined.at(-1);
    const end = last && last.at + last.value.length;
    const gap = text.slice(end, at);
    if (last?.isComment && isComment && /^\n[ \t]*$/.test(gap)) last.value += gap + value;
    else joined.push({ at, value, isComment });
  }
  return joined;
}

function splitParagraphs(at, prose) {
  const paragraphs = prose.split(/(?<=\n)(?=[ \t]*\n)/);
  return paragraphs.map((paragraph, n) => ({
    at: at + paragraphs.slice(0, n).join('').length,
    prose: paragraph,
  }));
}

/**
 * Creates a textlint document. Its text is as long as the file, with spaces in place of all code.
 */
function parse(text, paragraphs) {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const position = (index) => {
    const line = lineStarts.findLastIndex((start) => start <= index);
    return { line: line + 1, column: index - lineStarts[line] };
  };
  const node = (type, start, raw, more) => {
    const range = [start, start + raw.length];
    return {
      type,
      raw,
      range,
      loc: { start: position(range[0]), end: position(range[1]) },
      ...more,
    };
  };
  let prose = '';
  const children = [];
  for (const { at, prose: raw } of paragraphs) {
    prose += blank(text.slice(prose.length, at)) + raw;
    children.push(node('Paragraph', at, raw, { children: [node('Str', at, raw, { value: raw })] }));
  }
  prose += blank(text.slice(prose.length));
  return { text: prose, ast: node('Document', 0, prose, { children }) };
}

export const sourceProse = { Processor };

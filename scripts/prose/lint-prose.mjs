// Checks the prose of the repository with textlint. `words.yml` lists the words to avoid, and a
// sentence may have at most 30 words. With arguments, it only checks the given files.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import maxWordCount from 'textlint-rule-en-max-word-count';
import prh from 'textlint-rule-prh';
import { sourceProse } from './source-prose.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const plugins = [
  { pluginId: 'markdown', plugin: markdown.default },
  { pluginId: 'source', plugin: sourceProse },
];
const rules = [
  {
    ruleId: 'words',
    rule: prh.default,
    options: { rulePaths: [join(root, 'scripts/prose/words.yml')] },
  },
  { ruleId: 'length', rule: maxWordCount, options: { max: 30 } },
];

/**
 * Matches files that are not checked: generated files, the word list, and a test with deliberate
 * mistakes.
 */
const ignored =
  /(^|\/)pnpm-lock\.yaml$|\/migrations\/|^scripts\/prose\/words\.yml$|\/prose\.test\.ts$/;

const readable = new Set(['.md', ...new sourceProse.Processor().availableExtensions()]);
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
const files = process.argv.length > 2 ? process.argv.slice(2) : String(listed).trim().split('\n');

const kernel = new TextlintKernel();
let count = 0;
for (const file of files) {
  const ext = extname(file) || basename(file);
  if (!readable.has(ext) || ignored.test(file)) continue;
  const text = readFileSync(resolve(root, file), 'utf8');
  const { messages } = await kernel.lintText(text, {
    filePath: file,
    ext,
    plugins,
    rules,
  });
  count += messages.length;
  for (const { line, column, message } of messages) {
    console.error(`${file}:${line}:${column} ${message.replace(/\s+/g, ' ')}`);
  }
}
if (count > 0)
  console.error(`\n${count} sentences must be rewritten: see scripts/prose/words.yml.`);
process.exitCode = count > 0 ? 1 : 0;

// This program copies the numbers of the last benchmark run into four files: the reference file of
// the check, the README, figures.md, and docs/capacity.md.

import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatSummary, formatTables } from './format-tables.ts';
import { latestFile, type Results, recordedFile } from './results.ts';

const readme = new URL('../README.md', import.meta.url);
const allFigures = new URL('../figures.md', import.meta.url);
const capacity = new URL('../../../docs/capacity.md', import.meta.url);
const capacityModel = new URL('../../../deploy/capacity/model.mjs', import.meta.url);

const begin = '<!-- figures: written by the benchmark -->';
const end = '<!-- end of figures -->';

const results = JSON.parse(readFileSync(latestFile, 'utf8')) as Results;
copyFileSync(latestFile, recordedFile);
writeFigures(readme, formatSummary(results));
writeFigures(allFigures, formatTables(results));
// The capacity model reads `recordedFile`, so this file must be copied first.
writeFigures(
  capacity,
  execFileSync(process.execPath, [fileURLToPath(capacityModel)], { encoding: 'utf8' }),
);

function writeFigures(file: URL, figures: string): void {
  const text = readFileSync(file, 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(
      `The file ${file.pathname} does not contain the lines ${begin} and ${end}. Add both lines: the numbers are written between them.`,
    );
  }
  writeFileSync(file, `${before}${begin}\n\n${figures}\n${end}${after}`);
}

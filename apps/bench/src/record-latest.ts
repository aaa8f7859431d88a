// Records the figures of the last run: for the check, and in the README.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { formatPlot } from './format-plot.ts';
import { formatTables } from './format-tables.ts';
import { latestFile, type Results, recordedFile } from './results.ts';

const readme = new URL('../README.md', import.meta.url);
const plot = new URL('../cpu-per-request.svg', import.meta.url);

const begin = '<!-- figures: written by the benchmark -->';
const end = '<!-- end of figures -->';

const results = JSON.parse(readFileSync(latestFile, 'utf8')) as Results;
copyFileSync(latestFile, recordedFile);
writeReadme(results);
const hotList = results.scenarios.find(({ workload }) => workload === 'a');
if (hotList !== undefined) writeFileSync(plot, formatPlot(hotList));

function writeReadme(figures: Results): void {
  const text = readFileSync(readme, 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`README.md has no place for the figures: ${begin} … ${end}`);
  }
  writeFileSync(readme, `${before}${begin}\n\n${formatTables(figures)}\n${end}${after}`);
}

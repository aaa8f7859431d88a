import { readFileSync, writeFileSync } from 'node:fs';
import { formatPlot } from './format-plot.ts';
import { formatTables } from './format-tables.ts';
import type { Results } from './results.ts';

const readme = new URL('../README.md', import.meta.url);
const plot = new URL('../cpu-per-request.svg', import.meta.url);

const begin = '<!-- figures: written by the benchmark -->';
const end = '<!-- end of figures -->';

/** Writes the figures into the README, and the plot beside it. */
export function writeReport(results: Results): void {
  const text = readFileSync(readme, 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`README.md has no place for the figures: ${begin} … ${end}`);
  }
  writeFileSync(readme, `${before}${begin}\n\n${formatTables(results)}\n${end}${after}`);
  const hotList = results.scenarios.find(({ workload }) => workload === 'a');
  if (hotList !== undefined) writeFileSync(plot, formatPlot(hotList));
}

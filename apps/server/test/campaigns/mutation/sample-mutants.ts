// This module is a plugin of Stryker. It tests a random sample of the mutants, which the seed
// determines, and reports the score of each folder.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { leastScores } from './rooms.ts';

type Position = { readonly line: number; readonly column: number };

type Mutant = {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: Position; readonly end: Position };
};

/**
 * A mutant with its result. Stryker counts lines and columns from 1 in this type, and from 0
 * elsewhere.
 */
type TestedMutant = Mutant & { readonly status: string };

// biome-ignore lint/style/noProcessEnv: run-campaign.ts has no other way to tell Stryker
const { CAMPAIGN_SEED: seed = '1', CAMPAIGN_MINUTES: minutes = 'Infinity' } = process.env;
/** The number of minutes that testing all mutants takes on two CPU cores. */
const wholeMinutes = 240;
const share = Number(minutes) / wholeMinutes;

/**
 * Tells whether a mutant is in the sample. The line number of the mutant has no influence, so that
 * an edit above the mutant does not change the sample.
 */
function isInSample(mutant: Mutant): boolean {
  const { fileName, mutatorName, replacement, location } = mutant;
  const file = relative(process.cwd(), fileName);
  const width = location.end.column - location.start.column;
  const identity = JSON.stringify([seed, file, mutatorName, replacement, width]);
  return createHash('sha256').update(identity).digest().readUInt32BE() / 2 ** 32 < share;
}

/**
 * A checker for Stryker, a program that tests the tests. Stryker changes the code in many places,
 * and each change is called a mutant. Before it tests a mutant, it asks a checker whether the
 * mutant compiles. This checker accepts only the mutants in the sample.
 */
const sampler = {
  init: async () => {},
  group: async (mutants: readonly Mutant[]) => [mutants.map(({ id }) => id)],
  async check(mutants: readonly Mutant[]) {
    const verdict = (mutant: Mutant) =>
      isInSample(mutant) ? { status: 'passed' } : { status: 'compileError', reason: 'not chosen' };
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, verdict(mutant)]));
  },
};

const columns = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'RuntimeError'] as const;

/**
 * Creates a reporter that prints each mutant that no test detected, and the score of each folder at
 * the end.
 */
function createReporter() {
  const rooms = new Map<string, Map<string, number>>();
  return {
    onMutantTested(mutant: TestedMutant): void {
      const { fileName, status } = mutant;
      if (!isInSample(mutant) || status === 'CompileError') return;
      const room = join(basename(process.cwd()), basename(dirname(fileName)));
      const counts = rooms.get(room) ?? new Map<string, number>();
      rooms.set(room, counts.set(status, (counts.get(status) ?? 0) + 1));
      if (status === 'Survived' || status === 'NoCoverage') print(`${describe(mutant)}\n`);
    },
    wrapUp(): void {
      print(`\n| room | score | ${columns.join(' | ')} |\n`);
      for (const [room, counts] of [...rooms].sort()) {
        const count = (status: string) => counts.get(status) ?? 0;
        const killed = count('Killed') + count('Timeout');
        const score = (100 * killed) / (killed + count('Survived') + count('NoCoverage'));
        print(`| ${room} | ${score.toFixed(1)} | ${columns.map(count).join(' | ')} |\n`);
        if (score < (leastScores[room] ?? 0)) process.exitCode = 1;
      }
    },
  };
}

function describe({ fileName, status, mutatorName, replacement, location }: TestedMutant): string {
  const { start, end } = location;
  const lines = readFileSync(fileName, 'utf8').split('\n');
  const original = lines.slice(start.line - 1, end.line);
  original[original.length - 1] = (original.at(-1) ?? '').slice(0, end.column - 1);
  original[0] = (original[0] ?? '').slice(start.column - 1);
  const place = `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`;
  const text = original.map((line) => line.trim()).join(' ');
  return `${status} ${place} ${mutatorName}: ${text} → ${replacement}`;
}

function print(text: string): void {
  process.stdout.write(text);
}

/** The plugins of this module. Stryker requires this name. */
export const strykerPlugins = [
  { kind: 'Checker', name: 'sample', value: sampler },
  { kind: 'Reporter', name: 'rooms', factory: createReporter },
];

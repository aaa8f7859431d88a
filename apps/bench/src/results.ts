import { fileURLToPath } from 'node:url';
import type { TargetResult } from './measure-scenario.ts';

const directory = new URL('../results/', import.meta.url);

/** The file with the numbers that the README shows. */
export const recordedFile = fileURLToPath(new URL('recorded.json', directory));
/** The file with the reference costs for `npm run bench:check`. */
export const checkedFile = fileURLToPath(new URL('checked.json', directory));
/** The file with the numbers of the last run. */
export const latestFile = fileURLToPath(new URL('latest.json', directory));

/**
 * The cost of a request in each checked workload, divided by the cost of a request to the baseline
 * server that waits before it responds.
 */
export type CheckedCosts = {
  readonly commit: string;
  readonly pets: number;
  readonly keys: number;
  readonly waitingBaselines: Readonly<Record<string, number>>;
};

/** The numbers of a whole benchmark run. */
export type Results = {
  readonly commit: string;
  readonly date: string;
  readonly node: string;
  readonly machine: string;
  readonly pets: number;
  readonly keys: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly scenarios: readonly ScenarioResult[];
};

export type ScenarioResult = {
  /** The letter of the workload, such as `a`. */
  readonly workload: string;
  readonly connections: number;
  readonly results: readonly TargetResult[];
};

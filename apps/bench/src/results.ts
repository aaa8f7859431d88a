import { fileURLToPath } from 'node:url';
import type { TargetResult } from './measure-scenario.ts';

const directory = new URL('../results/', import.meta.url);

/** The numbers in the README. */
export const recordedFile = fileURLToPath(new URL('recorded.json', directory));
/** The reference costs of the check. */
export const checkedFile = fileURLToPath(new URL('checked.json', directory));
/** The numbers of the last run. */
export const latestFile = fileURLToPath(new URL('latest.json', directory));

/** The cost of a request in each checked workload, in units of the waiting floor. */
export type CheckedCosts = {
  readonly commit: string;
  readonly pets: number;
  readonly keys: number;
  readonly waitingFloors: Readonly<Record<string, number>>;
};

/** The output of a run. */
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
  /** The letter of the workload. */
  readonly workload: string;
  readonly connections: number;
  readonly results: readonly TargetResult[];
};

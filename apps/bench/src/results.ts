import { fileURLToPath } from 'node:url';
import type { TargetResult } from './measure-scenario.ts';

const directory = new URL('../results/', import.meta.url);

/** The figures that the README shows. */
export const recordedFile = fileURLToPath(new URL('recorded.json', directory));
/** The costs that the check compares with. */
export const checkedFile = fileURLToPath(new URL('checked.json', directory));
/** The figures of the last run. */
export const latestFile = fileURLToPath(new URL('latest.json', directory));

/** What a request of each checked workload costs, in units of the floor that waits. */
export type CheckedCosts = {
  readonly commit: string;
  readonly pets: number;
  readonly keys: number;
  readonly waitingFloors: Readonly<Record<string, number>>;
};

/** What a run writes. */
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
  /** Its letter. */
  readonly workload: string;
  readonly connections: number;
  readonly results: readonly TargetResult[];
};

/** How much more a request may cost than recorded, both in units of the same run's floor. */
const mayGrowBy = 1.15;

export type CostComparison = {
  readonly verdict: 'worse' | 'as recorded' | 'better';
  /** The measured cost over the recorded one. */
  readonly change: number;
  /** The largest change that is not a failure. */
  readonly allowed: number;
};

/**
 * Compares the CPU time of a request with the recorded one. Both are ratios to a floor of their own
 * run, so the speed of the machine cancels out. The floor waits before it responds, like the
 * service. In units of a floor that responds at once, the same code cost up to 40 % more on a busy
 * machine. The rest is noise, and a change must be larger than the noise of the run.
 *
 * @param noise see {@link noiseOf}.
 */
export function compareCost(measured: number, recorded: number, noise: number): CostComparison {
  const change = measured / recorded;
  const allowed = mayGrowBy * noise;
  // The comparison is written so that NaN is a failure.
  if (!(change <= allowed)) return { verdict: 'worse', change, allowed };
  return { verdict: change < 1 / mayGrowBy ? 'better' : 'as recorded', change, allowed };
}

/**
 * Returns how noisy the machine was: the upper quartile of the floor's rounds divided by the lower
 * one.
 */
export function noiseOf(floors: readonly number[]): number {
  const sorted = floors.toSorted((a, b) => a - b);
  const quarter = Math.floor(sorted.length / 4);
  return (sorted.at(-1 - quarter) ?? Number.NaN) / (sorted[quarter] ?? Number.NaN);
}

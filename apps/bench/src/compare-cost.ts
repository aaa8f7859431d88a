/**
 * The largest allowed ratio of the measured cost to the recorded cost, on a machine without noise.
 */
const allowedGrowth = 1.15;

export type CostComparison = {
  readonly verdict: 'worse' | 'as recorded' | 'better';
  /** The measured cost divided by the recorded cost. */
  readonly change: number;
  /** The largest `change` that passes the check. */
  readonly allowed: number;
};

/**
 * Compares the CPU time of a request with the recorded time. Both are multiples of a baseline
 * server's time in the same run, so the speed of the machine cancels out.
 *
 * The baseline waits before it responds, like the service. A baseline that responds immediately is
 * not suitable: on a busy machine, the measured cost rose by up to 40 % although the code was the
 * same. The check fails only if the cost has increased by more than the allowed growth, multiplied
 * by the noise of the run.
 *
 * @param noise the result of {@link noiseOf}.
 */
export function compareCost(measured: number, recorded: number, noise: number): CostComparison {
  const change = measured / recorded;
  const allowed = allowedGrowth * noise;
  // The comparison is negated, because a measured cost that is NaN must also fail the check.
  if (!(change <= allowed)) return { verdict: 'worse', change, allowed };
  return { verdict: change < 1 / allowedGrowth ? 'better' : 'as recorded', change, allowed };
}

/**
 * Returns how noisy the machine was: the upper quartile of the baseline's costs divided by the
 * lower quartile.
 */
export function noiseOf(baselineCosts: readonly number[]): number {
  const sorted = baselineCosts.toSorted((a, b) => a - b);
  const quarter = Math.floor(sorted.length / 4);
  return (sorted.at(-1 - quarter) ?? Number.NaN) / (sorted[quarter] ?? Number.NaN);
}

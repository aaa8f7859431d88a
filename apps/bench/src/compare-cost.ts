/** How much more a request may cost than was recorded, both in units of the same run's floor. */
const mayGrowBy = 1.15;

export type CostComparison = {
  readonly verdict: 'worse' | 'as recorded' | 'better';
  /** The measured cost over the recorded one. */
  readonly change: number;
};

/**
 * Compares the CPU time of a request with the recorded one. Both are ratios to the floor of their own
 * run, so the speed of the machine cancels out.
 */
export function compareCost(measured: number, recorded: number): CostComparison {
  const change = measured / recorded;
  // Written so that NaN is a failure.
  if (!(change <= mayGrowBy)) return { verdict: 'worse', change };
  return { verdict: change < 1 / mayGrowBy ? 'better' : 'as recorded', change };
}

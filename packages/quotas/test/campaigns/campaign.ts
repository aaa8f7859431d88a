// biome-ignore lint/style/noProcessEnv: `npm run campaign` sets the seed and the time limit
const { CAMPAIGN_SEED: seed = '1', CAMPAIGN_MINUTES: minutes = '1' } = process.env;

const endsAt = Date.now() + Number(minutes) * 60_000;

/** The options of a campaign (long test), from the command `npm run campaign`. */
export const campaign = {
  seed: Number(seed),
  timeoutMs: Number(minutes) * 60_000 + 600_000,
  /** Yields a seed for each round, until the time limit of the campaign. */
  *seeds(): Generator<number> {
    for (let round = Number(seed); Date.now() < endsAt; round += 1) yield round;
  },
};

import type { PlanName } from '@animal-store/contract';
import type { Command } from 'commander';
import { type CliOutput, createProgram } from './create-program.ts';
import { type CommonOptions, countOption, planOption, sinceOption } from './options.ts';
import { showBusiestKeys } from './show-usage.ts';

const examples = `
  npm run usage -- top
  npm run usage -- top --since 7d --plan pro --limit 20
  npm run --silent usage -- top --json | jq
`;

type TopOptions = CommonOptions & {
  readonly since?: string;
  readonly plan?: PlanName;
  readonly account?: string;
  readonly limit?: number;
};

/** Creates the commands of `npm run usage -- <command>`. */
export function createUsageProgram(output: CliOutput): Command {
  const { program, call, finish } = createProgram('usage', {
    description: 'Show who uses a running Animal Store.',
    examples,
    output,
  });

  program
    .command('top')
    .summary('list the busiest keys')
    .description('Lists the keys with the most requests, by whole days in UTC: today by default.')
    .addOption(sinceOption('from the day that was so long ago, at most 30d'))
    .addOption(planOption('only keys of this plan'))
    .option('--account <ref>', 'only keys of this account')
    .addOption(countOption())
    .action((options: TopOptions) => {
      const { since: from, plan, account, limit } = options;
      const query = { groupBy: 'key', from, plan, account, limit: limit?.toString() } as const;
      return call(options, (client) => client.getUsage({ query }), showBusiestKeys);
    });

  return finish();
}

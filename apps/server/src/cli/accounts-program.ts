import { type PlanName, planNames } from '@animal-store/contract';
import type { AccountFilter, AccountPlan, ListedAccount } from '@animal-store/contract/admin';
import { Argument, type Command } from 'commander';
import { type AdminClient, expectSuccess } from './admin-client.ts';
import { type CliOutput, createProgram } from './create-program.ts';
import { listAll } from './list-all.ts';
import {
  type CommonOptions,
  countOption,
  type LimitOptions,
  perDayOption,
  perMinuteOption,
  planOption,
  type ReasonOptions,
  readQuota,
  reasonOf,
  reasonOption,
} from './options.ts';
import { showAccount, showAccounts } from './show-accounts.ts';
import { warnOfAlikeAccounts } from './warn-of-alike-accounts.ts';

const examples = `
  npm run accounts -- set-plan C-17 business --reason "Contract 2026-118"
  npm run accounts -- set-plan C-17 enterprise --per-minute 5000 --per-day 1000000
  npm run keys -- create --account C-17 --name "shop"
  npm run accounts -- show C-17
  npm run accounts -- set-plan C-17 none
  npm run accounts -- suspend C-17 --reason "Invoice 4711 is open"
  npm run --silent accounts -- list --json | jq
`;

/** What takes the plan of an account away. */
const noPlan = 'none';

/** The name of an account. It is what keys have as their account. */
const accountArgument = (): Argument =>
  new Argument('<account>', 'your own reference, such as a customer number');

/** Creates the commands of `npm run accounts -- <command>`. */
export function createAccountsProgram(output: CliOutput): Command {
  const { program, call, finish } = createProgram('accounts', {
    description: 'Give accounts limits that their keys share, and suspend them.',
    examples,
    output,
  });

  program
    .command('list')
    .summary('list accounts by name')
    .description('Lists the accounts of keys, and those that have a plan, by name.')
    .addOption(planOption('only accounts that have this plan'))
    .option('--suspended', 'only accounts that are suspended')
    .option('--search <text>', 'only accounts whose name contains it')
    .addOption(countOption())
    .action((options: ListOptions) =>
      call(options, (client) => listAccounts(client, options), showAccounts),
    );

  program
    .command('show')
    .summary('show an account, its usage and its keys')
    .description(
      'Shows an account, what its keys have used of both windows together, and which of them used the most today.',
    )
    .addArgument(accountArgument())
    .action((account: string, options: CommonOptions) =>
      call(options, (client) => client.getAccount({ params: pathOf(account) }), showAccount),
    );

  program
    .command('set-plan')
    .summary("set or remove an account's plan")
    .description(
      `Gives an account a plan, whose limits its keys share from the next request on, or takes it away: ${noPlan}. The counts are kept.`,
    )
    .addArgument(accountArgument())
    .addArgument(
      new Argument('<plan>', `the new plan; ${noPlan}: each key has its own`).choices([
        ...planNames,
        noPlan,
      ]),
    )
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .addOption(reasonOption())
    .action((account: string, plan: PlanChoice, options: SetPlanOptions, command: Command) => {
      const body = readPlan(command, plan, options);
      const request = { ...changeOf(account, options), body };
      return call(
        options,
        async (client) => {
          await warnOfAlikeAccounts(client, account, output);
          return client.setAccountPlan(request);
        },
        showAccount,
      );
    });

  program
    .command('suspend')
    .summary('suspend all keys of an account until it is resumed')
    .description(
      'Suspends all keys of an account until it is resumed. Their callers get 403, and are told to ask you. Nothing they have used is lost.',
    )
    .addArgument(accountArgument())
    .addOption(reasonOption())
    .action((account: string, options: ReasonOptions) =>
      call(options, (client) => client.suspendAccount(changeOf(account, options)), showAccount),
    );

  program
    .command('resume')
    .summary('resume a suspended account')
    .description('Ends the suspension of an account.')
    .addArgument(accountArgument())
    .addOption(reasonOption())
    .action((account: string, options: ReasonOptions) =>
      call(options, (client) => client.resumeAccount(changeOf(account, options)), showAccount),
    );

  return finish();
}

// The client of ts-rest puts parameters into the path as they are.
const pathOf = (account: string) => ({ account: encodeURIComponent(account) });

/** What every request that changes an account has. */
const changeOf = (account: string, options: ReasonOptions) => ({
  params: pathOf(account),
  query: reasonOf(options),
});

type PlanChoice = PlanName | typeof noPlan;

type SetPlanOptions = LimitOptions & ReasonOptions;

function readPlan(command: Command, plan: PlanChoice, options: LimitOptions): AccountPlan {
  const quota = readQuota(command, plan, options);
  if (plan === noPlan) return { plan: null };
  if (plan !== 'enterprise') return { plan };
  if (quota !== undefined) return { plan, quota };
  return command.error('error: the Enterprise plan takes --per-minute and --per-day');
}

type ListOptions = CommonOptions &
  Pick<AccountFilter, 'plan' | 'search'> & {
    readonly suspended?: true;
    readonly limit?: number;
  };

/** All accounts that match, page by page. */
function listAccounts(client: AdminClient, { plan, search, suspended, limit }: ListOptions) {
  const filter = { plan, search, suspended: suspended && ('true' as const) };
  return listAll<ListedAccount>(
    (page) => expectSuccess(client.listAccounts({ query: { ...filter, ...page } })),
    limit,
  );
}

import type { OperationName, SuccessBody } from './admin-client.ts';
import { toMinute } from './format-table.ts';
import type { RequestForm } from './request-options.ts';
import { showAccount, showAccounts } from './show-accounts.ts';
import { showIssuedKey, showKey, showKeys } from './show-keys.ts';
import {
  showAuditEntries,
  showIssuedOperator,
  showOperator,
  showOperators,
  showSessions,
} from './show-operators.ts';
import { bucketFor, showBusiestKeys, showKeyUsage } from './show-usage.ts';

/** A command: the operation that it calls, and the function that prints the result. */
export interface CommandSpec extends RequestForm {
  readonly operation: OperationName;
  /**
   * Formats the result.
   *
   * @param columns the width of the terminal.
   */
  readonly show: (body: never, columns: number) => string;
  /** The description of the command in the help. By default, it is the operation's summary. */
  readonly summary?: string;
  /** The largest number of entries of a list that the command shows by default. */
  readonly limit?: number;
  /** Adds query parameters whose values follow from the given options. */
  readonly complete?: (query: Record<string, unknown>) => Record<string, unknown>;
}

const command = <Name extends OperationName>(
  operation: Name,
  show: (body: SuccessBody<Name>, columns: number) => string,
  form: Omit<CommandSpec, 'operation' | 'show'> = {},
): CommandSpec => ({ operation, show, ...form });

/** A group of commands with its own npm script, such as `npm run keys`. */
interface CommandGroup {
  readonly description: string;
  readonly examples: readonly string[];
  /**
   * The commands of the group by name. The command with the empty name runs when no name is given.
   */
  readonly commands: Readonly<Record<string, CommandSpec>>;
}

export const commandGroups: Readonly<Record<string, CommandGroup>> = {
  keys: {
    description: 'Create, change, suspend and revoke the API keys of a running Animal Store.',
    examples: [
      'keys -- create --name acme --plan pro --expires 90d',
      'keys -- create --name "catalogue page" --plan free --read-only',
      'keys -- create --plan enterprise --per-minute 5000 --per-day 1000000',
      'keys -- list --state active --account C-17 --unused-for 90d',
      'keys -- update <id> --name acme-2 --no-expires --reason "Contract 2026-118"',
      'keys -- usage <id> --since 7d',
      'keys -- rotate <id> --grace 24h',
    ],
    commands: {
      create: command('createKey', showIssuedKey, {
        // The admin API requires a name for a new API key. The command sets a default name, because
        // a user with only one API key needs no name to find it.
        preset: () => ({
          body: { name: `created by npm run keys at ${toMinute(new Date().toISOString())}` },
        }),
      }),
      list: command('listKeys', showKeys),
      show: command('getKey', showKey, { only: [] }),
      usage: command('getKeyUsage', showKeyUsage, {
        complete: (query) => ({ bucket: bucketFor(query), ...query }),
      }),
      'set-plan': command('changeKey', showKey, {
        summary: "Change a key's plan or limits",
        argument: 'plan',
        only: ['plan', 'quota'],
      }),
      update: command('changeKey', showKey),
      rotate: command('rotateKey', showIssuedKey),
      suspend: command('suspendKey', showKey),
      resume: command('resumeKey', showKey),
      revoke: command('revokeKey', showKey),
      unban: command('unbanKey', showKey),
      credit: command('creditKey', showKey),
    },
  },
  accounts: {
    description: 'Set limits that the keys of an account share, and suspend accounts.',
    examples: [
      'accounts -- set-plan C-17 business --reason "Contract 2026-118"',
      'accounts -- set-plan C-17 enterprise --per-minute 5000 --per-day 1000000',
      'accounts -- set-plan C-17 none',
      'accounts -- suspend C-17 --reason "Invoice 4711 is open"',
    ],
    commands: {
      list: command('listAccounts', showAccounts),
      show: command('getAccount', showAccount, { only: [] }),
      'set-plan': command('setAccountPlan', showAccount, { argument: 'plan' }),
      suspend: command('suspendAccount', showAccount),
      resume: command('resumeAccount', showAccount),
      credit: command('creditAccount', showAccount),
    },
  },
  operators: {
    description: 'Manage who may use the admin API of a running Animal Store.',
    examples: ['operators -- create --name Ann --role operator --expires 90d'],
    commands: {
      create: command('createOperator', showIssuedOperator),
      list: command('listOperators', showOperators),
      rotate: command('rotateOperator', showIssuedOperator),
      revoke: command('revokeOperator', showOperator),
      sessions: command('listOperatorSessions', showSessions),
      'log-out': command('endOperatorSessions', showSessions),
    },
  },
  audit: {
    description: 'Show who changed what in a running Animal Store, the newest change first.',
    examples: ['audit -- --key <id> --since 7d', 'audit -- --action key.revoked --account C-17'],
    commands: { '': command('listAuditEntries', showAuditEntries, { limit: 50 }) },
  },
  usage: {
    description: 'Show the busiest keys of a running Animal Store.',
    examples: ['usage -- top --since 7d --plan pro --limit 20'],
    commands: {
      top: command('getUsage', showBusiestKeys, {
        summary: 'List the busiest keys in a period of whole days (UTC). The default is today.',
        only: ['from', 'to', 'plan', 'account', 'limit'],
        preset: () => ({ query: { groupBy: 'key' } }),
      }),
    },
  },
};

import type { AuditAction, AuditEntry } from '@animal-store/contract/admin';
import { auditActions } from '@animal-store/contract/admin';
import { type Command, Option } from 'commander';
import { expectSuccess } from './admin-client.ts';
import { type CliOutput, createProgram } from './create-program.ts';
import { listAll } from './list-all.ts';
import { type CommonOptions, countOption, idOption, sinceOption } from './options.ts';
import { showAuditEntries } from './show-audit.ts';

/** How many entries are shown unless told otherwise. */
const usualLimit = 50;

const examples = `
  npm run audit
  npm run audit -- --key <id> --since 7d
  npm run audit -- --action key.revoked --account C-17
  npm run audit -- --actor admin_token
  npm run --silent audit -- --limit 1000 --json | jq
`;

type AuditOptions = CommonOptions & {
  readonly key?: string;
  readonly operator?: string;
  readonly actor?: string;
  readonly action?: AuditAction;
  readonly account?: string;
  readonly since?: string;
  readonly limit: number;
};

/** Creates the command `npm run audit`. */
export function createAuditProgram(output: CliOutput): Command {
  const { program, call, finish } = createProgram('audit', {
    description: 'Show who changed what in a running Animal Store, the newest first.',
    examples,
    output,
  });

  program
    .addOption(idOption('--key <id>', 'only entries about this key'))
    .addOption(idOption('--operator <id>', 'only entries about this operator'))
    .option('--actor <who>', "only what an operator's id, admin_token, local_user or system did")
    .addOption(new Option('--action <action>', 'only entries of this action').choices(auditActions))
    .option('--account <ref>', 'only entries about this account and its keys')
    .addOption(sinceOption('only from so long ago on'))
    .addOption(countOption().default(usualLimit))
    .action((options: AuditOptions) => {
      const { key, operator, actor, action, account, since, limit } = options;
      const filter = { keyId: key, operatorId: operator, actor, action, account, from: since };
      return call(
        options,
        (client) =>
          listAll<AuditEntry>(
            (page) => expectSuccess(client.listAuditEntries({ query: { ...filter, ...page } })),
            limit,
          ),
        showAuditEntries,
      );
    });

  return finish();
}

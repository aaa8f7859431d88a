import { fileURLToPath } from 'node:url';
import { nodeFlags } from '@animal-store/testkit';

export type Target = {
  readonly name: string;
  readonly title: string;
  /**
   * The kind of a server: the service, another framework (`peer`), or a server that always sends
   * the same response without any work (`baseline`).
   */
  readonly kind: 'service' | 'peer' | 'baseline';
  readonly program: string;
  /**
   * The command that runs the program.
   * @default the Node command from the options of the run
   */
  readonly command?: readonly string[];
};

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

function peer(name: string, title: string): Target {
  return { name, title, kind: 'peer', program: path(`peers/${name}.ts`) };
}

function baseline(name: string, title: string): Target {
  return { name, title, kind: 'baseline', program: path(`baselines/${name}.ts`) };
}

/** The baseline that responds immediately. All costs in the tables are multiples of its cost. */
export const unitBaseline = baseline('express-json', 'Express `res.json`, constant body');

/**
 * The baseline that waits before it responds. On a busy machine, its CPU time per request rises,
 * like the CPU time of the service. The CPU time of {@link unitBaseline} rises less.
 */
export const waitingBaseline = baseline(
  'express-waiting',
  'Express `res.json`, constant body after 2 ms',
);

export const service: Target = {
  name: 'service',
  title: '**this service**',
  kind: 'service',
  program: path('../../server/src/main.ts'),
};

/**
 * Creates a variant of the service with another command, so that a run can compare the variant with
 * the service.
 *
 * @param description `name=command`, such as `small=node --max-semi-space-size=4`. The command
 *   may end with the path of another `main.ts`, for example in a worktree of an earlier commit.
 */
export function serviceVariant(description: string): Target {
  const name = description.slice(0, description.indexOf('='));
  const words = description.slice(name.length + 1).split(' ');
  const own = words.at(-1)?.endsWith('.ts') === true ? words.pop() : undefined;
  if (name === '' || words.length === 0)
    throw new Error(
      `The variant "${description}" is not valid. Use name=command, such as small=node --max-semi-space-size=4.`,
    );
  return { ...service, name, title: name, program: own ?? service.program, command: words };
}

export const targets: readonly Target[] = [
  unitBaseline,
  waitingBaseline,
  service,
  peer('fastify-pg', 'Fastify + @fastify/rate-limit + pg'),
];

/**
 * Returns the command that starts a server. The service gets the same Node flags as in `npm start`,
 * and the other servers get none.
 */
export function commandOf({ kind, command, program }: Target): readonly string[] {
  const flags = kind === 'service' ? nodeFlags : [];
  return [...(command ?? [process.execPath, ...flags]), program];
}

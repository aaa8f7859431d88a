import { fileURLToPath } from 'node:url';
import { nodeFlags } from '@animal-store/testkit';

export type Target = {
  readonly name: string;
  readonly title: string;
  /** `floor`: a constant body and no work, as a unit for the others. */
  readonly kind: 'service' | 'peer' | 'floor';
  readonly program: string;
  /** The command that runs the program. @default the command from the options of the run */
  readonly command?: readonly string[];
};

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

function peer(name: string, title: string): Target {
  return { name, title, kind: 'peer', program: path(`peers/${name}.ts`) };
}

function floor(name: string, title: string): Target {
  return { name, title, kind: 'floor', program: path(`floors/${name}.ts`) };
}

/** The floor of all ratios. */
export const unitFloor = floor('express-json', 'Express `res.json`, constant body');

/**
 * The floor that shows the cost of waiting. {@link unitFloor} does not get slower with it on a busy
 * machine.
 */
export const waitingFloor = floor(
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
 * Creates a target that runs the service in another way, for a comparison.
 *
 * @param description `name=command`, such as `small=node --max-semi-space-size=4`. The command may
 *   end with another `main.ts`, such as one of another commit.
 */
export function serviceVariant(description: string): Target {
  const name = description.slice(0, description.indexOf('='));
  const words = description.slice(name.length + 1).split(' ');
  const own = words.at(-1)?.endsWith('.ts') === true ? words.pop() : undefined;
  if (name === '' || words.length === 0) throw new Error(`${description}: expected name=command`);
  return { ...service, name, title: name, program: own ?? service.program, command: words };
}

export const targets: readonly Target[] = [
  unitFloor,
  waitingFloor,
  service,
  peer('fastify-pg', 'Fastify + @fastify/rate-limit + pg'),
];

/**
 * Returns the command of a target: the service runs as in `npm start`, and its peers on plain Node.
 */
export function commandOf({ kind, command, program }: Target): readonly string[] {
  const flags = kind === 'service' ? nodeFlags : [];
  return [...(command ?? [process.execPath, ...flags]), program];
}

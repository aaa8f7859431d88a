import { fileURLToPath } from 'node:url';
import { nodeFlags } from '@animal-store/testkit';

export type Target = {
  readonly name: string;
  readonly title: string;
  /** `floor`: a constant body and no work, as a unit to measure the others in. */
  readonly kind: 'service' | 'peer' | 'floor';
  readonly program: string;
  /** The command that runs the program. @default what the run's options say */
  readonly command?: readonly string[];
};

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

function peer(name: string, title: string): Target {
  return { name, title, kind: 'peer', program: path(`peers/${name}.ts`) };
}

function floor(name: string, title: string): Target {
  return { name, title, kind: 'floor', program: path(`floors/${name}.ts`) };
}

/** The floor that all ratios refer to. */
export const unitFloor = floor('express-json', 'Express `res.json`, constant body');

/** What a service pays for waiting alone. {@link unitFloor} does not suffer as it does on a busy machine. */
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
 * Makes a target of another way to run the service, to be compared with it.
 *
 * @param description `name=command`, such as `small=node --max-semi-space-size=4`. The command may end in
 * another `main.ts`, such as one of another commit.
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

/** The command that runs a target: the service as `npm start` runs it, its peers on a plain Node. */
export function commandOf({ kind, command, program }: Target): readonly string[] {
  const flags = kind === 'service' ? nodeFlags : [];
  return [...(command ?? [process.execPath, ...flags]), program];
}

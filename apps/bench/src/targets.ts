import { fileURLToPath } from 'node:url';
import { nodeFlags } from '@animal-store/testkit';
import { type Protocol, rest, trpc } from './protocols.ts';

export type Target = {
  readonly name: string;
  readonly title: string;
  /** `floor`: a constant body and no work, as a unit to measure the others in. */
  readonly kind: 'service' | 'peer' | 'floor';
  readonly protocol: Protocol;
  readonly program: string;
  /** The URL of a module that changes the program before it starts. */
  readonly preload?: string;
  /** The command that runs the program. @default what the run's options say */
  readonly command?: readonly string[];
};

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

function peer(name: string, title: string, protocol = rest): Target {
  return { name, title, kind: 'peer', protocol, program: path(`peers/${name}.ts`) };
}

function floor(name: string, title: string): Target {
  return { name, title, kind: 'floor', protocol: rest, program: path(`floors/${name}.ts`) };
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
  protocol: rest,
  program: path('../../server/src/main.ts'),
};

function variant(name: string, preload: string): Target {
  return {
    ...service,
    name,
    title: name,
    preload: new URL(`./variants/${preload}`, import.meta.url).href,
  };
}

/** The service with one part exchanged, to know what that part costs. Measured only if they are named. */
export const variants: readonly Target[] = [
  variant('without-ledger', 'without-ledger.ts'),
  variant('connections-1', 'with-connections.ts?1'),
  variant('connections-2', 'with-connections.ts?2'),
  variant('connections-4', 'with-connections.ts?4'),
  variant('pg-pipeline', 'with-pg.ts'),
];

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
  floor('node-http', 'node:http, constant body'),
  floor('fastify-json', 'Fastify, constant body'),
  unitFloor,
  waitingFloor,
  service,
  peer('fastify-pg', 'Fastify + @fastify/rate-limit + pg'),
  peer('express-pg', 'Express + express-rate-limit + rate-limit-redis + pg'),
  peer('fastify-drizzle', 'Fastify + @fastify/rate-limit + drizzle'),
  // Node does not run decorators, so this one is compiled.
  { ...peer('nest-pg', 'NestJS + throttler + pg'), program: path('peers/nest-pg.compiled.js') },
  peer('hono-drizzle', 'Hono + hono-rate-limiter + drizzle'),
  peer('orpc-drizzle', 'oRPC + its rate limiter + drizzle'),
  peer('trpc-drizzle', 'tRPC + rate-limiter-flexible + drizzle', trpc),
];

/**
 * The command that runs a target: the service as `npm start` runs it, its peers on a plain Node.
 *
 * @param node the program that runs it, and its flags.
 */
export function commandOf(target: Target, node: readonly string[]): readonly string[] {
  const { kind, preload, command, program } = target;
  const flags = [
    ...(kind === 'service' ? nodeFlags : []),
    ...(preload === undefined ? [] : [`--import=${preload}`]),
  ];
  return [...(command ?? [...node, ...flags]), program];
}

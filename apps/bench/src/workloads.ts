import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { createToken } from '../../server/src/keys/token.ts';
import { listOf, type Pet, petAt, statuses, type Tokens } from './catalogue.ts';

/** A request of the benchmark, without the details of HTTP. */
export type Call = {
  readonly token: string;
  /** The IP address of the caller, for requests without a valid key. */
  readonly address?: string;
} & (
  | {
      readonly operation: 'list';
      readonly limit: number;
      readonly status: Pet['status'] | undefined;
    }
  | { readonly operation: 'get'; readonly id: number }
  | { readonly operation: 'create'; readonly name: string; readonly categoryId: number }
);

/** The response that the server must send: its status, and a function that checks its body. */
export type Expectation = { readonly status: number; readonly body: (body: unknown) => boolean };

export type Data = { readonly tokens: Tokens; readonly pets: number };

export type Workload = {
  readonly letter: string;
  readonly title: string;
  calls(data: Data, connection: number): Call[];
  /** The response that all calls expect, for workloads where the service denies every request. */
  readonly refusal?: { readonly status: number; readonly code: string };
  /** Environment variables for the service in this workload. */
  readonly env?: Readonly<Record<string, string>>;
};

/** The number of different requests of a connection. The connection sends them again and again. */
const callsPerConnection = 200;

function manyCalls(connection: number, call: (random: (below: number) => number) => Call): Call[] {
  const random = createSeededRandom(connection);
  const below = (limit: number) => Math.floor(random() * limit);
  return Array.from({ length: callsPerConnection }, () => call(below));
}

const hotToken = ({ tokens }: Data): string => tokens.wide[0] as string;

const anyToken = ({ tokens }: Data, random: (below: number) => number): string =>
  tokens.wide[random(Math.min(1_000, tokens.wide.length))] as string;

/**
 * Returns one of 200 possible list calls at random: with one of 50 lengths, and with one of the
 * three statuses or without a status.
 */
function anyList(random: (below: number) => number) {
  return {
    operation: 'list',
    limit: 1 + random(50),
    status: statuses[random(statuses.length + 1)],
  } as const;
}

const anyId = ({ pets }: Data, random: (below: number) => number): number =>
  1 + random(Math.min(100_000, pets));

const hotList = { operation: 'list', limit: 20, status: undefined } as const;

const newPet = (random: (below: number) => number) =>
  ({ operation: 'create', name: `New ${random(1_000_000)}`, categoryId: random(10) }) as const;

/**
 * A token that has the right format but belongs to no API key. The service can only refuse it after
 * it has looked it up in the database.
 */
const unknownToken = createToken();

export const workloads: readonly Workload[] = [
  {
    letter: 'a',
    title: 'one list of 20 animals, requested repeatedly',
    calls: (data) => [{ ...hotList, token: hotToken(data) }],
  },
  {
    letter: 'b',
    title: '200 different lists, 1,000 keys',
    calls: (data, connection) =>
      manyCalls(connection, (random) => ({ ...anyList(random), token: anyToken(data, random) })),
  },
  {
    letter: 'c',
    title: 'one of 100,000 animals by its id',
    calls: (data, connection) =>
      manyCalls(connection, (random) => ({
        operation: 'get',
        id: anyId(data, random),
        token: hotToken(data),
      })),
  },
  {
    letter: 'd',
    title: 'creations that are stored durably',
    calls: (data, connection) =>
      manyCalls(connection, (random) => ({ ...newPet(random), token: hotToken(data) })),
  },
  {
    letter: 'e',
    title: '80 % lists, 15 % single animals, 5 % creations; 1,000 keys',
    calls: (data, connection) =>
      manyCalls(connection, (random) => {
        const token = anyToken(data, random);
        const share = random(100);
        if (share < 80) return { ...anyList(random), token };
        if (share < 95) return { operation: 'get', id: anyId(data, random), token };
        return { ...newPet(random), token };
      }),
  },
  {
    letter: 'f',
    title: 'all requests denied (429)',
    calls: ({ tokens }) => [{ ...hotList, token: tokens.narrow }],
    refusal: { status: 429, code: 'rate_limit_exceeded' },
    env: { BAN_MIN_STRIKES: '0' },
  },
  {
    letter: 'g',
    title: 'all requests banned (429)',
    calls: ({ tokens }) => [{ ...hotList, token: tokens.narrow }],
    refusal: { status: 429, code: 'key_temporarily_banned' },
    // The API key may send only one request a day, so it is soon banned. The ban lasts longer than
    // the run.
    env: { BAN_MIN_STRIKES: '1', BAN_STRIKE_PERCENT: '0', BAN_SECONDS: '3600' },
  },
  {
    letter: 'h',
    title: 'all requests without a valid key (401)',
    calls: (_data, connection) => [
      {
        ...hotList,
        token: unknownToken,
        address: `10.0.${connection >> 8}.${connection & 255}`,
      },
    ],
    refusal: { status: 401, code: 'unauthorized' },
    env: { TRUST_PROXY: '1', ADDRESS_PER_MINUTE: '1000000' },
  },
];

/** Returns the response that a call expects. */
export function expectationOf(call: Call, refusal: Workload['refusal']): Expectation {
  if (refusal !== undefined) {
    const { status, code } = refusal;
    return { status, body: (body) => (body as { code?: unknown }).code === code };
  }
  switch (call.operation) {
    case 'list': {
      const expected = listOf(call.limit, call.status);
      return { status: 200, body: (body) => isSameList(body, expected) };
    }
    case 'get': {
      const expected = petAt(call.id);
      return { status: 200, body: (body) => isSame(body, expected) };
    }
    case 'create':
      return {
        status: 201,
        body: (body) => {
          const { id } = body as { id: number };
          return (
            Number.isSafeInteger(id) &&
            isSame(body, { id, name: call.name, categoryId: call.categoryId, status: 'available' })
          );
        },
      };
  }
}

function isSameList(body: unknown, expected: readonly Pet[]): boolean {
  return (
    Array.isArray(body) &&
    body.length === expected.length &&
    expected.every((pet, index) => isSame(body[index], pet))
  );
}

/**
 * Compares only the properties that the contract defines. Other servers may add properties, such as
 * a creation time.
 */
function isSame(body: unknown, expected: Pet): boolean {
  const pet = body as Partial<Pet>;
  return (
    pet.id === expected.id &&
    pet.name === expected.name &&
    pet.categoryId === expected.categoryId &&
    pet.status === expected.status
  );
}

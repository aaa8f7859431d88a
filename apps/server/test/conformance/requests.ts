import { stringifyJson } from '@animal-store/contract';
import fc from 'fast-check';
import type { Answer, SentRequest } from '../support/send.ts';
import type { Operation, Parameter, Schema } from './open-api.ts';
import { arbitraryOf, outside, wrongJson } from './schema-values.ts';

/** A request that is made from the document, and what has to come of it. */
export type Trial = {
  readonly kind: string;
  readonly operation: Operation;
  readonly sent: SentRequest;
  /** Whether the answer's status is one that such a request deserves. */
  readonly deserves: (answer: Answer) => boolean;
};

type Values = Readonly<Record<string, unknown>>;

/** What makes of a request that is in order one of another kind. */
type Change = {
  readonly method?: string;
  readonly values?: Values;
  readonly headers?: Readonly<Record<string, string>>;
  /** Gives the text of the body. */
  readonly write?: (body: unknown) => string | undefined;
};

type Kind = {
  readonly kind: string;
  readonly weight: number;
  readonly change: fc.Arbitrary<Change>;
  deserves(answer: Answer, values: Values): boolean;
};

/** Requests of every kind to every operation of a document. */
export function trials(operations: readonly Operation[], apiKey: string): fc.Arbitrary<Trial> {
  return fc.oneof(
    ...operations.flatMap((operation) =>
      kindsOf(operation, operations).map(({ kind, weight, change, deserves }) => ({
        weight,
        arbitrary: fc
          .tuple(valuesOf(operation), bodyOf(operation), change)
          .map(([inOrder, body, change]): Trial => {
            const values = { ...inOrder, ...change.values };
            const sent = toRequest(operation, { values, body, change, apiKey });
            const shown = () => `${operation.operationId}, ${kind}: ${JSON.stringify(sent)}`;
            const trial = { kind, operation, sent, deserves: (it: Answer) => deserves(it, values) };
            // A trial that failed is shown: the document that it came from is long.
            return Object.assign(trial, { [fc.toStringMethod]: shown });
          }),
      })),
    ),
  );
}

function kindsOf(operation: Operation, operations: readonly Operation[]): Kind[] {
  const own = operations.filter(({ path }) => path === operation.path).map(({ method }) => method);
  const has = own.includes('GET') ? [...own, 'HEAD'] : own;
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter(
    (method) => !has.includes(method),
  );
  const invalid = (change: fc.Arbitrary<Change>, status = 400): Kind => ({
    kind: 'invalid',
    weight: 2,
    change,
    deserves: (answer) => answer.status === status,
  });
  return [
    {
      kind: 'valid',
      weight: 6,
      change: fc.constant({}),
      // What neither a document nor a request says: which ids exist, that the orders are not there
      // yet, that an idempotency key was used before, and that the few requests for the key's rate
      // limits are used up.
      deserves: ({ status }, values) =>
        status < 300 ||
        (status === 429 && operation.operationId === 'getRateLimit') ||
        (status === 404 && operation.path.includes('{')) ||
        status === 501 ||
        (status === 422 && values['Idempotency-Key'] !== undefined),
    },
    // Each way to leave the document has to be refused.
    ...operation.parameters.flatMap(({ name, in: place, schema }) => {
      const texts = name === 'cursor' ? undefined : outside(schema);
      // An empty path segment is another path.
      const own = texts?.filter((text) => place !== 'path' || text !== '');
      return own === undefined ? [] : invalid(own.map((text) => ({ values: { [name]: text } })));
    }),
    ...(operation.body === undefined
      ? []
      : [
          invalid(wrongBody(operation.body)),
          invalid(
            fc
              .constantFrom('text/plain', 'application/xml', 'json', '')
              .map((type) => ({ headers: { 'Content-Type': type } })),
            415,
          ),
        ]),
    {
      kind: 'other method',
      weight: 1,
      change: fc.constantFrom(...others).map((method) => ({ method, write: () => undefined })),
      deserves: ({ status, headers }) =>
        status === 405 && headers.get('Allow')?.split(', ').sort().join() === has.sort().join(),
    },
    {
      kind: 'without key',
      weight: 1,
      change: fc
        .constantFrom<Record<string, string>>(
          { Authorization: '' },
          { Authorization: 'Bearer' },
          { Authorization: 'Bearer ast_000000000000000000000000000000000000' },
          { Authorization: 'Basic YXN0Xzp4' },
          { Authorization: '', 'X-API-Key': 'ast_000000000000000000000000000000000000' },
        )
        .map((headers) => ({ headers })),
      deserves: ({ status, headers }) => status === 401 && headers.has('WWW-Authenticate'),
    },
  ];
}

/** A member is missing, of another type or out of its bounds; or it is no object, or no JSON. */
function wrongBody(body: Schema): fc.Arbitrary<Change> {
  const missing = fc
    .constantFrom(...(body['required'] as string[]))
    .map((name): Values => ({ [name]: undefined }));
  const wrong = Object.entries(body['properties'] as Record<string, Schema>).map(([name, schema]) =>
    wrongJson(schema).map((value): Values => ({ [name]: value })),
  );
  const texts = ['', '[]', 'null', '7', '"pet"', '{', '{"name":"Mia",}', '\0', '{"name":1e400}'];
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...texts).map((text) => ({ write: () => text })) },
    ...[missing, ...wrong].map((members) => ({
      weight: 1,
      arbitrary: members.map((changed) => ({
        write: (value: unknown) => stringifyJson({ ...(value as Values), ...changed }),
      })),
    })),
  );
}

function toRequest(
  operation: Operation,
  given: { values: Values; body: unknown; change: Change; apiKey: string },
): SentRequest {
  const { values, body: value, apiKey } = given;
  const { method = operation.method, headers, write = stringifyJson } = given.change;
  const body = value === undefined ? undefined : write(value);
  const of = (place: Parameter['in']) =>
    operation.parameters.flatMap(({ in: its, name }) =>
      its === place && values[name] !== undefined ? [[name, String(values[name])] as const] : [],
    );
  const path = of('path').reduce(
    (filled, [name, text]) => filled.replace(`{${name}}`, encodeURIComponent(text)),
    operation.path,
  );
  const query = of('query').map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  return {
    method,
    target: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(of('header')),
      ...headers,
    },
    body,
  };
}

function bodyOf({ body }: Operation): fc.Arbitrary<unknown> {
  return body === undefined ? fc.constant(undefined) : arbitraryOf(body);
}

function valuesOf({ parameters }: Operation): fc.Arbitrary<Values> {
  // A cursor is opaque: only the service makes valid ones.
  const own = parameters.filter(({ name }) => name !== 'cursor');
  return (
    fc
      .record(Object.fromEntries(own.map(({ name, schema }) => [name, arbitraryOf(schema)])), {
        requiredKeys: own.filter(({ required }) => required).map(({ name }) => name),
      })
      // Said in words only: a list of ids has no pages.
      .map(
        ({ limit, ...rest }): Values =>
          'ids' in rest || limit === undefined ? rest : { ...rest, limit },
      )
  );
}

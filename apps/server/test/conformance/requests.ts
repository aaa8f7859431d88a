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

/** Requests of every kind to every operation of a document. */
export function trials(operations: readonly Operation[], apiKey: string): fc.Arbitrary<Trial> {
  return fc.oneof(
    ...operations.flatMap((operation) => [
      { weight: 6, arbitrary: valid(operation, apiKey) },
      ...invalid(operation, apiKey).map((arbitrary) => ({ weight: 2, arbitrary })),
      { weight: 1, arbitrary: otherMethod(operation, operations, apiKey) },
      { weight: 1, arbitrary: withoutKey(operation) },
    ]),
  );
}

/** Makes a trial that failed readable: the document that it came from is long. */
export function shown(trial: Trial): Trial {
  const text = () => `${trial.operation.operationId}, ${trial.kind}: ${JSON.stringify(trial.sent)}`;
  return Object.assign(trial, { [fc.toStringMethod]: text });
}

type Values = Readonly<Record<string, unknown>>;

const bearer = (apiKey: string) => ({ Authorization: `Bearer ${apiKey}` });

/** Every request that the document allows has to be accepted. */
function valid(operation: Operation, apiKey: string): fc.Arbitrary<Trial> {
  return fc.tuple(parameterValues(operation), bodyOf(operation)).map(([values, body]) => ({
    kind: 'valid',
    operation,
    sent: toRequest(
      operation,
      values,
      body === undefined ? undefined : stringifyJson(body),
      apiKey,
    ),
    deserves: ({ status }) =>
      // What neither a document nor a request says: which ids exist, that the orders are not there
      // yet, that an idempotency key was used before, and that the few requests for the key's rate
      // limits are used up.
      status < 300 ||
      (status === 429 && operation.operationId === 'getRateLimit') ||
      (status === 404 && operation.path.includes('{')) ||
      status === 501 ||
      (status === 422 && values['Idempotency-Key'] !== undefined),
  }));
}

/** Each way to leave the document has to be refused. */
function invalid(operation: Operation, apiKey: string): fc.Arbitrary<Trial>[] {
  const refused = ({ status }: Answer) => status === 400;
  const trial = (sent: SentRequest): Trial => ({
    kind: 'invalid',
    operation,
    sent,
    deserves: refused,
  });
  const byParameter = operation.parameters
    .filter(({ schema, name }) => outside(schema) !== undefined && name !== 'cursor')
    .map((parameter) =>
      fc
        .tuple(
          parameterValues(operation),
          bodyOf(operation),
          outside(parameter.schema) ?? fc.constant(''),
        )
        // An empty path segment is another path.
        .filter(([, , text]) => parameter.in !== 'path' || text !== '')
        .map(([values, body, text]) =>
          trial(
            toRequest(
              operation,
              { ...values, [parameter.name]: text },
              body === undefined ? undefined : stringifyJson(body),
              apiKey,
            ),
          ),
        ),
    );
  const { body } = operation;
  if (body === undefined) return byParameter;
  const members = body['properties'] as Record<string, Schema>;
  const required = body['required'] as string[];
  const texts = fc.oneof(
    // A required member is missing.
    fc
      .tuple(arbitraryOf(body), fc.constantFrom(...required))
      .map(([value, name]) => stringifyJson({ ...(value as object), [name]: undefined })),
    // A member is of another type, or out of its bounds.
    ...Object.entries(members).map(([name, schema]) =>
      fc
        .tuple(arbitraryOf(body), wrongJson(schema))
        .map(([value, wrong]) => stringifyJson({ ...(value as object), [name]: wrong })),
    ),
    // It is no object, or no JSON.
    fc.constantFrom(
      '',
      '[]',
      'null',
      '7',
      '"pet"',
      '{',
      '{"name":"Mia",}',
      '\u0000',
      '{"name":1e400}',
    ),
  );
  return [
    ...byParameter,
    fc
      .tuple(parameterValues(operation), texts)
      .map(([values, text]) => trial(toRequest(operation, values, text, apiKey))),
    fc
      .tuple(bodyOf(operation), fc.constantFrom('text/plain', 'application/xml', 'json', ''))
      .map(([value, type]) => {
        const sent = toRequest(operation, {}, stringifyJson(value), apiKey);
        return {
          ...trial({ ...sent, headers: { ...sent.headers, 'Content-Type': type } }),
          deserves: ({ status }) => status === 415,
        };
      }),
  ];
}

/** A path has the methods that the document says, HEAD with GET, and no other. */
function otherMethod(
  operation: Operation,
  operations: readonly Operation[],
  apiKey: string,
): fc.Arbitrary<Trial> {
  const own = operations.filter(({ path }) => path === operation.path).map(({ method }) => method);
  const has = own.includes('GET') ? [...own, 'HEAD'] : own;
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter(
    (method) => !has.includes(method),
  );
  return fc
    .tuple(fc.constantFrom(...others), parameterValues(operation))
    .map(([method, values]) => {
      const { target, headers } = toRequest(operation, values, undefined, apiKey);
      return {
        kind: 'other method',
        operation,
        sent: { method, target, headers },
        deserves: ({ status, headers: answered }) =>
          status === 405 &&
          answered.get('Allow')?.split(', ').sort().join() === [...has].sort().join(),
      };
    });
}

/** No operation answers without a valid key, however it is left out. */
function withoutKey(operation: Operation): fc.Arbitrary<Trial> {
  const headers = fc.constantFrom<Record<string, string>>(
    {},
    { Authorization: '' },
    { Authorization: 'Bearer' },
    { Authorization: 'Bearer ast_000000000000000000000000000000000000' },
    { Authorization: 'Basic YXN0Xzp4' },
    { 'X-API-Key': 'ast_000000000000000000000000000000000000' },
  );
  return fc
    .tuple(parameterValues(operation), bodyOf(operation), headers)
    .map(([values, body, own]) => {
      const { headers: others, ...sent } = toRequest(
        operation,
        values,
        body === undefined ? undefined : stringifyJson(body),
        '',
      );
      const { Authorization: _, ...rest } = others;
      return {
        kind: 'without key',
        operation,
        sent: { ...sent, headers: { ...rest, ...own } },
        deserves: ({ status, headers: answered }) =>
          status === 401 && answered.has('WWW-Authenticate'),
      };
    });
}

function toRequest(
  operation: Operation,
  values: Values,
  body: string | undefined,
  apiKey: string,
): SentRequest {
  const given = (place: Parameter['in']) =>
    operation.parameters.filter(
      (parameter) => parameter.in === place && values[parameter.name] !== undefined,
    );
  const path = given('path').reduce(
    (filled, { name }) => filled.replace(`{${name}}`, encodeURIComponent(String(values[name]))),
    operation.path,
  );
  const query = given('query')
    .map(({ name }) => `${name}=${encodeURIComponent(String(values[name]))}`)
    .join('&');
  return {
    method: operation.method,
    target: query === '' ? path : `${path}?${query}`,
    headers: {
      ...bearer(apiKey),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(given('header').map(({ name }) => [name, String(values[name])])),
    },
    body,
  };
}

function bodyOf({ body }: Operation): fc.Arbitrary<unknown> {
  return body === undefined ? fc.constant(undefined) : arbitraryOf(body);
}

function parameterValues({ parameters }: Operation): fc.Arbitrary<Values> {
  // A cursor is opaque: only the service makes valid ones.
  const own = parameters.filter(({ name }) => name !== 'cursor');
  return fc
    .record(Object.fromEntries(own.map(({ name, schema }) => [name, arbitraryOf(schema)])), {
      requiredKeys: own.filter(({ required }) => required).map(({ name }) => name),
    })
    .map(withoutConflict);
}

/** A document cannot say that parameters exclude each other, other than in words: a list of ids has no pages. */
function withoutConflict({ limit, ...rest }: Values): Values {
  return limit === undefined || 'ids' in rest ? rest : { ...rest, limit };
}

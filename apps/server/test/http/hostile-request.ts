import { type RawBytes, type RawOptions, rawRequest } from '../support/raw-http.ts';

/** Bytes that nobody means well with, and what may become of them. */
export type HostileInput = RawOptions & {
  readonly title: string;
  readonly bytes: Buffer;
  /** The target is not under `/v1`, so the answer tells of no quota. */
  readonly outside?: boolean;
  /** There is no request in it to answer. */
  readonly mayHangUp?: boolean;
};

/** A route, its path as a target of the request line (`/v1` included), and a token that it accepts. */
export type Route = { readonly method: string; readonly path: string; readonly token: string };

/** An input as a tuple, which is short to write in a long list. */
export type HostileCase = readonly [
  title: string,
  bytes: Buffer,
  options?: Omit<HostileInput, 'title' | 'bytes'>,
];

/** A request that is in order but for what is given. */
export function request(
  { method, path, token }: Route,
  change: {
    readonly line?: string;
    readonly headers?: readonly string[];
    readonly body?: RawBytes;
  } = {},
): Buffer {
  return rawRequest({
    line: change.line ?? `${method} ${path} HTTP/1.1`,
    headers: [
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Connection: close',
      ...(change.headers ?? []),
    ],
    ...(change.body !== undefined && { body: change.body }),
  });
}

/** A request with a body of JSON. */
export function withJson(route: Route, body: RawBytes, headers: readonly string[] = []): Buffer {
  return request(route, {
    headers: ['Content-Type: application/json', `Content-Length: ${body.length}`, ...headers],
    body,
  });
}

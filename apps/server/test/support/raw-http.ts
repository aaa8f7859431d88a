import { connect } from 'node:net';
import { hangMs } from '@animal-store/testkit';
import { type Answer, createAnswer } from './send.ts';
import type { TestService } from './test-service.ts';

/** Each character is one byte (Latin-1), so that a text can hold any bytes. */
export type RawBytes = string | Buffer;

export type RawOptions = {
  /** Says that nothing more will come, once the request is written. */
  readonly halfClose?: boolean;
};

/**
 * Writes bytes to the server, which no client library would, and reads what comes back.
 *
 * @returns the answers, the interim ones (1xx) left out; none if the server closes without a word.
 */
export function sendRaw(
  origin: string,
  bytes: RawBytes,
  { halfClose = false }: RawOptions = {},
): Promise<Answer[]> {
  const { hostname, port } = new URL(origin);
  const sent = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  const isHead = sent.subarray(0, 5).toString('latin1') === 'HEAD ';
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(sent);
      if (halfClose) socket.end();
    });
    const finish = () => {
      socket.destroy();
      resolve(readAnswers(received, isHead));
    };
    socket.setTimeout(hangMs, () => {
      socket.destroy();
      reject(new Error(`Silence after ${received.length} bytes: ${received.subarray(0, 500)}`));
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (readAnswers(received, isHead).length > 0) finish();
    });
    // The server may reset the connection after its answer; what it said before counts.
    socket.on('error', finish);
    socket.on('close', finish);
  });
}

const lastChunk = Buffer.from('0\r\n\r\n');

function readAnswers(bytes: Buffer, isHead: boolean): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`Not HTTP: ${statusLine}`);
    rest = rest.subarray(end + 4);
    if (status < 200) continue;
    const headers = lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const bodiless = (isHead && answers.length === 0) || status === 204;
    const { headers: read } = createAnswer(status, headers, '');
    if (read.get('Transfer-Encoding') === 'chunked') {
      // Only the empty responses of Node itself are chunked.
      if (!rest.subarray(0, lastChunk.length).equals(lastChunk)) return answers;
      rest = rest.subarray(lastChunk.length);
      answers.push(createAnswer(status, headers, ''));
      continue;
    }
    const length = bodiless ? 0 : Number(read.get('Content-Length') ?? 0);
    if (rest.length < length) return answers;
    answers.push(createAnswer(status, headers, rest.subarray(0, length).toString('utf8')));
    rest = rest.subarray(length);
  }
}

/** One request as bytes. Header lines are written as they are, and end the connection by default. */
export function rawRequest(request: {
  readonly line: string;
  readonly headers?: readonly string[];
  readonly body?: RawBytes;
}): Buffer {
  const { line, headers = [], body = '' } = request;
  return Buffer.concat([
    Buffer.from(`${[line, ...headers].join('\r\n')}\r\n\r\n`, 'latin1'),
    typeof body === 'string' ? Buffer.from(body, 'latin1') : body,
  ]);
}

/** Sends one request as bytes with the Enterprise key, and returns its answer. */
export async function sendRawRequest(
  { server, tokens }: TestService,
  request: {
    readonly line: string;
    readonly headers?: readonly string[] | undefined;
    readonly body?: string | undefined;
  },
): Promise<Answer> {
  const { line, headers = [], body = '' } = request;
  const authorization = `Authorization: Bearer ${tokens.enterprise}`;
  const bytes = rawRequest({ line, headers: ['Host: a', authorization, ...headers], body });
  const [answer] = await sendRaw(server.origin, bytes);
  if (answer === undefined) throw new Error('The server closed the connection without an answer.');
  return answer;
}

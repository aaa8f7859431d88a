import { connect } from 'node:net';
import { hangMs } from '@animal-store/testkit';
import { type Answer, createAnswer } from './send.ts';
import type { TestService } from './test-service.ts';

/**
 * Raw bytes. In a string, each character is one byte (Latin-1), so that a string can contain any
 * bytes.
 */
export type RawBytes = string | Buffer;

const bytesOf = (raw: RawBytes) => (typeof raw === 'string' ? Buffer.from(raw, 'latin1') : raw);

/**
 * Sends bytes that no HTTP client library would send, and reads the responses.
 *
 * @param options.halfClose whether the client half-closes the connection after the request.
 * @returns the responses that have arrived as soon as one is complete, without interim responses
 * (1xx). The array is empty if the server closes the connection without a response.
 */
export function sendRaw(
  origin: string,
  bytes: RawBytes,
  { halfClose = false } = {},
): Promise<Answer[]> {
  const { hostname: host, port } = new URL(origin);
  const sent = bytesOf(bytes);
  const isHead = sent.toString('latin1').startsWith('HEAD ');
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect({ host, port: Number(port) }, () => {
      socket.write(sent);
      if (halfClose) socket.end();
    });
    const finish = () => {
      socket.destroy();
      resolve(readAnswers(received, isHead));
    };
    socket.setTimeout(hangMs, () => {
      socket.destroy();
      reject(
        new Error(
          `The server sent nothing more after ${received.length} bytes: ${received.subarray(0, 500)}`,
        ),
      );
    });
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (readAnswers(received, isHead).length > 0) finish();
    });
    // The server may reset the connection after its response. The function still uses the bytes
    // that have arrived before the reset.
    socket.on('error', finish).on('close', finish);
  });
}

function readAnswers(bytes: Buffer, isHead: boolean): Answer[] {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return [];
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const rest = bytes.subarray(end + 4);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`Not HTTP: ${statusLine}`);
  if (status < 200) return readAnswers(rest, isHead);
  const headers = lines.flatMap((line) => /^(.*?):\s*(.*?)\s*$/.exec(line)?.slice(1) ?? []);
  const head = createAnswer(status, headers, '');
  // Only Node itself sends a chunked response without content. The body of such a response has 5
  // bytes: a zero and two line breaks.
  const isChunked = head.headers.get('Transfer-Encoding') === 'chunked';
  const bodyLength = isHead || status === 204 ? 0 : Number(head.headers.get('Content-Length') ?? 0);
  const length = isChunked ? 5 : bodyLength;
  if (rest.length < length) return [];
  const text = isChunked ? '' : rest.subarray(0, length).toString();
  const answer = createAnswer(status, headers, text);
  return [answer, ...readAnswers(rest.subarray(length), false)];
}

type RawRequest = {
  readonly line: string;
  readonly headers?: readonly string[] | undefined;
  readonly body?: RawBytes | undefined;
};

/** Returns the bytes of one request. */
export function rawRequest({ line, headers = [], body = '' }: RawRequest): Buffer {
  return Buffer.concat([bytesOf(`${[line, ...headers].join('\r\n')}\r\n\r\n`), bytesOf(body)]);
}

/** Sends one request as raw bytes with the Enterprise key, and returns its response. */
export async function sendRawRequest(
  { server, tokens }: TestService,
  { headers = [], ...request }: RawRequest,
): Promise<Answer> {
  const all = ['Host: a', `Authorization: Bearer ${tokens.enterprise}`, ...headers];
  const [answer] = await sendRaw(server.origin, rawRequest({ ...request, headers: all }));
  if (answer === undefined) throw new Error('The server closed the connection without a response.');
  return answer;
}

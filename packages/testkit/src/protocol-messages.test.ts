import { expect, test } from 'vitest';
import { postgresProtocol, redisProtocol, type WireProtocol } from './protocol-messages.ts';

/** The types of the messages, with the bytes given one by one. */
function typesOf(splitter: ReturnType<WireProtocol['requests']>, bytes: Buffer): string[] {
  return [...bytes].flatMap((byte) => splitter(Buffer.from([byte])).map(({ type }) => type));
}

function message(type: string, body = ''): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}

test('requests to Postgres begin with a message without a type', () => {
  const bytes = Buffer.concat([message('', 'version'), message('P', 'select'), message('S')]);
  expect(typesOf(postgresProtocol.requests(), bytes)).toEqual(['StartupMessage', 'Parse', 'Sync']);
});

test('responses of Postgres are told by their first byte', () => {
  const bytes = Buffer.concat([message('D', 'a row'), message('C', 'SELECT 1'), message('Z', 'I')]);
  expect(typesOf(postgresProtocol.responses(), bytes)).toEqual([
    'DataRow',
    'CommandComplete',
    'ReadyForQuery',
  ]);
});

test('replies of Redis are told by their first byte; a nested one is one message', () => {
  const bytes = Buffer.from(
    '+OK\r\n:1\r\n$-1\r\n$3\r\na\r\n\r\n*2\r\n*1\r\n:1\r\n$1\r\nb\r\n-ERR x\r\n',
  );
  expect(typesOf(redisProtocol.responses(), bytes)).toEqual(['+', ':', '$', '$', '*', '-']);
});

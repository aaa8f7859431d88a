import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { tokenChecksum, tokenSchemes } from '@animal-store/contract/token-form';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { temporaryDirectory } from '@animal-store/testkit';
import { assert, expect, onTestFinished, test } from 'vitest';
import { describeFailure, openLog } from './log.ts';
import { prettyLine } from './pretty-line.ts';

test('describeFailure returns only the name, the message and the stack of an error, without tokens', () => {
  const random = 'Q7'.repeat(15);
  const token = `${tokenSchemes.key}${random}${tokenChecksum(random)}`;
  const failure = Object.assign(new TypeError(`no ${token}`, { cause: new Error(token) }), {
    query: 'select 1',
    parameters: [token],
  });
  const described = describeFailure(failure);
  expect(described).toEqual({
    type: 'TypeError',
    message: 'no ast_…',
    stack: expect.stringContaining('TypeError: no ast_…\n    at '),
  });
  expect(JSON.stringify(described)).not.toContain(token.slice(8));
  // A thrown value that is not an Error may contain anything, even a token. So only its type is
  // logged.
  expect(describeFailure(token)).toEqual({ type: 'string' });
});

// Regression: Node's error for a host with several addresses has an empty message. The stack did not
// contain the reasons of an error with a message. In a stack, `$&` became "AggregateError".
test.each([
  [undefined, 'connect ECONNREFUSED ::1:5433', 'connect ECONNREFUSED ::1:5433'],
  ['all failed', 'connect ECONNREFUSED ::1:5433', 'all failed; connect ECONNREFUSED ::1:5433'],
  [undefined, 'no table $&', 'no table $&'],
])(
  'describeFailure contains the reasons of an AggregateError with the message %j, also in the stack',
  (message, reason, text) => {
    const failure = new AggregateError([new Error(reason)], message);
    const described = describeFailure(failure);
    expect(described).toMatchObject({ type: 'AggregateError', message: text });
    expect(described.stack?.split('\n    at ')[0]).toBe(`AggregateError: ${text}`);
  },
);

test.each([
  [
    'writes the time of day, the level, the message, the fields and the stack',
    '{"level":"warn","time":"2026-01-02T03:04:05.678Z","status":500,"a":{"b":1},"error":{"type":"E","stack":"E: x\\n at y"},"msg":"hello"}',
    /^\d\d:\d\d:\d\d warn {2}hello status=500 a\.b=1\nE: x\n at y\n$/,
  ],
  [
    'escapes control and bidirectional characters',
    JSON.stringify({ level: 'info', time: 0, operator: 'Ann\u202E\u001B[2J', msg: 'm' }),
    / operator=Ann\\u202e\\u001b\[2J\n$/,
  ],
])('prettyLine formats a JSON log line for a terminal: it %s', (_, line, shown) => {
  expect(prettyLine(line)).toMatch(shown);
});

test('openLog writes the log line of a request in the same format as pino, and only at the configured log level', () => {
  const lines: string[] = [];
  const clock = createTestClock();
  const fields = {
    method: 'GET',
    account: 'a "quoted" \\ name\n\u0000\u2028\u{1F431}',
    status: 200,
    durationMs: 0.01,
    remaining: 0,
    aborted: undefined,
    nothing: null,
  };
  const open = (level: 'info' | 'warn') =>
    openLog({ level, format: 'json', write: (line) => lines.push(line), clock });
  const { log, writeLine } = open('info');
  log.info(fields, 'request');
  writeLine('info', fields, 'request');
  log.warn(fields, 'request');
  writeLine('warn', fields, 'request');
  expect(lines).toEqual([lines[0], lines[0], lines[2], lines[2]]);
  open('warn').writeLine('info', fields, 'request');
  expect(lines).toHaveLength(4);
});

test('openLog writes log lines of any length and in any alphabet completely and in order', async () => {
  // The program logs short lines, lines that are not ASCII, and lines longer than a batch. There
  // are so many lines that they fill several batches.
  const program = `
    import { openLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))};
    const { log, close } = openLog({ level: 'info', format: 'json' });
    const texts = ['a', '\u00e4\u{1f984}', 'b'.repeat(200_000), '\u20ac'.repeat(50_000), 'c'];
    for (let round = 0; round < 2_000; round++) texts.push('\u{1f984}'.repeat(round % 100));
    for (const text of texts) log.info({ text }, 'm');
    await close();
    console.log(JSON.stringify(texts));
  `;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const written = stderr.trimEnd().split('\n');
  expect(written.map((line) => JSON.parse(line).text)).toEqual(JSON.parse(stdout));
});

/**
 * Runs a program whose stderr is a pipe that nobody reads.
 *
 * @returns the text on stdout, and the exit code and the signal that ended the process.
 */
async function runWithStalledLog(program: string) {
  await using directory = await temporaryDirectory();
  const pipe = join(directory.path, 'log');
  await promisify(execFile)('mkfifo', [pipe]);
  // The reading end is open, but this process never reads from it.
  await using _reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await using writer = await open(pipe, constants.O_WRONLY);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', writer.fd],
  });
  // A hook also runs after a timeout of the test, so the test leaves no process behind.
  onTestFinished(() => void child.kill('SIGKILL'));
  assert(child.stdout !== null);
  const [stdout, exit] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { stdout, exit };
}

// Regression: pino waited at the exit of the process until the full pipe had space. So a stopped
// process never ended while the reader of its log had stopped reading.
test.each([
  ['after the log was closed', 'await close();'],
  ['without closing the log', ''],
])('the process ends %s even if the reader of the log has stopped reading', async (_, closing) => {
  const script = `
    import { openLog } from '${new URL('log.ts', import.meta.url)}';
    const timings = { logBatchMs: 1, logCloseTimeoutMs: 1 };
    const { log, close } = openLog({ level: 'info', format: undefined, timings });
    for (let i = 0; i < 20; i += 1) log.info('x'.repeat(100_000));
    ${closing}
    process.exit();
  `;
  const { exit } = await runWithStalledLog(script);
  expect(exit).toEqual([0, null]);
});

// Regression: the warning about dropped lines was lost, because it was logged in the middle of a write.
test('openLog reports how many bytes it drops when more than 16 MB wait for the reader of the log', async () => {
  const script = `
    import { openLog } from '${new URL('log.ts', import.meta.url)}';
    let dropped = 0;
    let isWriting = false;
    const { log } = openLog({
      level: 'info',
      format: 'json',
      timings: { logBatchMs: 1, logCloseTimeoutMs: 1 },
      onDropped(bytes) {
        if (isWriting) throw new Error('onDropped was called in the middle of a write.');
        dropped += bytes;
      },
    });
    // The log collects batches of 128 KiB, so each of these lines is a batch.
    isWriting = true;
    for (let i = 0; i < 20; i += 1) log.info('x'.repeat(1_000_000));
    isWriting = false;
    await Promise.resolve();
    console.log(dropped);
    process.exit();
  `;
  const { stdout } = await runWithStalledLog(script);
  const dropped = Number(stdout);
  expect(dropped).toBeGreaterThanOrEqual(20 * 1_000_000 - 16 * 1024 * 1024 - 1_000_000);
  expect(dropped).toBeLessThan(20 * 1_000_100);
});

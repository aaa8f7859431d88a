import { type DestinationStream, type Logger, pino } from 'pino';
import { hideTokens } from '../shared/hide-tokens.ts';
import type { LogFormat, LogLevel } from '../shared/log-settings.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { prettyLine } from './pretty-line.ts';

export type Log = Logger;

/**
 * Lines are written together, so many bytes or milliseconds of them. Writing every 50 ms took 8 %
 * of the CPU time of a request at 1,000 requests a second: the system call, and waking the thread that
 * does it.
 */
const batchBytes = 128 * 1024;
const batchMs = 250;

/** The most bytes of UTF-8 that one UTF-16 code unit takes. */
const maxBytesPerCodeUnit = 3;

/** What may wait to be written, in bytes, before lines are dropped. */
const maxWaitingBytes = 16 * 1024 * 1024;

/** How long a stop waits for a reader that has stopped reading, in milliseconds. */
const closeTimeoutMs = 1_000;

/**
 * Writes a line whose fields are JSON already, such as `"status":200`. It looks like every other line,
 * and costs a fifth: pino does not know which texts need no escaping, and neither does `JSON.stringify`,
 * which would cost two fifths.
 */
export type WriteLine = (level: 'info' | 'warn', fields: string, msg: string) => void;

/** An open log. Whoever opened it closes it, and it writes what it still holds. */
export interface OpenLog {
  readonly log: Log;
  readonly writeLine: WriteLine;
  close(): Promise<void>;
}

/**
 * Opens the log, on stderr: stdout has the banner, which is for whoever typed `npm start`.
 *
 * @param options.format `undefined` to be pretty on a terminal and JSON elsewhere.
 */
export function openLog({
  level,
  format = process.stderr.isTTY ? 'pretty' : 'json',
}: {
  level: LogLevel;
  format: LogFormat | undefined;
}): OpenLog {
  const { stream, close } = format === 'pretty' ? prettyStream() : jsonStream();
  const timestamp = createTimestamp();
  const log = pino(
    {
      level,
      // No process id and host name: whatever collects the lines knows where they are from.
      base: null,
      timestamp,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const isWritten = { info: log.isLevelEnabled('info'), warn: log.isLevelEnabled('warn') };
  return {
    log,
    writeLine(level, fields, msg) {
      if (!isWritten[level]) return;
      stream.write(`{"level":"${level}"${timestamp()},${fields},"msg":"${msg}"}\n`);
    },
    close,
  };
}

/**
 * What may be logged of a failure. Only these: drivers put statements, parameters and commands
 * into other members, and pino's own serializer would write them all.
 */
export function describeFailure(failure: unknown) {
  if (!(failure instanceof Error)) return { type: typeof failure };
  const { name, message, stack = '' } = failure;
  return { type: name, message: hideTokens(message), stack: hideTokens(stack) };
}

/** ISO 8601, made once a millisecond: under load a third of a line's cost would be in it. */
function createTimestamp(): () => string {
  let lastMs = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== lastMs) {
      lastMs = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

interface OpenStream {
  stream: DestinationStream;
  close(): Promise<void>;
}

/** pino's destination; its type leaves out the bytes that it takes with `contentMode: 'buffer'`. */
interface ByteStream
  extends Pick<ReturnType<typeof pino.destination>, 'flush' | 'flushSync' | 'on'> {
  write(bytes: Buffer | string): boolean;
}

function jsonStream(): OpenStream {
  // Not synchronous: a reader of the log that stops must not stop the service with it. Lines beyond
  // the limit are lost.
  const destination: ByteStream = pino.destination({
    fd: 2,
    sync: false,
    // With texts, it would turn each into bytes three times.
    contentMode: 'buffer',
    // More than nothing: otherwise it does not say when everything is written.
    minLength: 1,
    maxWrite: 2 * batchBytes,
    maxLength: maxWaitingBytes,
  });
  // A full disk, say, is no reason to stop: lines wait for their next try. But the process must be able
  // to end; pino would write what is left when it does, and try that again for ever.
  destination.on('error', () => {
    destination.flushSync = () => {};
  });
  // Collected here and not there: for each line, it counts the bytes of all lines that wait. And as
  // bytes: texts are thousands of small pieces, which every garbage collection would copy.
  const lines = Buffer.allocUnsafeSlow(batchBytes);
  let length = 0;
  let flushing: NodeJS.Timeout | undefined;
  function flush(): void {
    clearTimeout(flushing);
    flushing = undefined;
    if (length > 0) destination.write(Buffer.from(lines.subarray(0, length)));
    length = 0;
  }
  // Called by pino when the process ends.
  const { flushSync } = destination;
  destination.flushSync = () => {
    flush();
    flushSync.call(destination);
  };
  return {
    stream: {
      write(line) {
        const maxBytes = line.length * maxBytesPerCodeUnit;
        if (length + maxBytes > batchBytes) flush();
        if (maxBytes > batchBytes) destination.write(Buffer.from(line));
        else length += lines.write(line, length);
        flushing ??= setTimeout(flush, batchMs);
      },
    },
    async close() {
      flush();
      const written = new Promise<void>((resolve) => {
        destination.flush(() => resolve());
      });
      await waitAtMost(closeTimeoutMs, written, () => {});
    },
  };
}

function prettyStream(): OpenStream {
  // Who read the lines is gone, or their disk is full.
  process.stderr.on('error', () => {});
  return {
    stream: { write: (line) => process.stderr.write(prettyLine(line)) },
    close: async () => {},
  };
}

import { hideTokens } from '@animal-store/contract/token-form';
import { type Clock, systemClock, type Timer, waitAtMost } from '@animal-store/runtime';
import { type Logger, pino } from 'pino';
import {
  defaultObservabilitySettings,
  type LogFormat,
  type LogLevel,
  type ObservabilitySettings,
} from './observability-settings.ts';
import { prettyLine } from './pretty-line.ts';

export type Log = Logger;

type LogTimings = Pick<ObservabilitySettings, 'logBatchMs' | 'logCloseTimeoutMs'>;

/** Lines are written together, so many bytes of them, or milliseconds (`logBatchMs`). */
const batchBytes = 128 * 1024;

/** The most bytes of UTF-8 that one UTF-16 code unit takes. */
const maxBytesPerCodeUnit = 3;

/** What may wait to be written, in bytes, before lines are dropped. */
const maxWaitingBytes = 16 * 1024 * 1024;

/**
 * Writes a line whose fields are JSON already, such as `"status":200`. It looks like every other line,
 * and costs a fifth: pino does not know which texts need no escaping, and neither does `JSON.stringify`,
 * which would cost two fifths.
 */
type WriteLine = (level: 'info' | 'warn', fields: string, msg: string) => void;

export type OpenLog = ReturnType<typeof openLog>;

/**
 * Opens the log, on stderr: stdout has the banner, which is for whoever typed `npm start`.
 *
 * @param options.format `undefined` to be pretty on a terminal and JSON elsewhere.
 * @param options.write takes each line of JSON at once, instead of stderr.
 */
export function openLog({
  level,
  format = process.stderr.isTTY ? 'pretty' : 'json',
  write,
  clock = systemClock,
  timings = defaultObservabilitySettings,
}: {
  level: LogLevel;
  format: LogFormat | undefined;
  write?: ((line: string) => void) | undefined;
  clock?: Clock;
  timings?: LogTimings;
}) {
  const { stream, close } = write
    ? { stream: { write }, close: async () => {} }
    : format === 'pretty'
      ? prettyStream()
      : jsonStream(timings);
  const timestamp = createTimestamp(clock);
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
    writeLine: ((level, fields, msg) => {
      if (!isWritten[level]) return;
      stream.write(`{"level":"${level}"${timestamp()},${fields},"msg":"${msg}"}\n`);
    }) satisfies WriteLine,
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
function createTimestamp(clock: Clock): () => string {
  let lastMs = 0;
  let text = '';
  return () => {
    const now = clock.now();
    if (now !== lastMs) {
      lastMs = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

/** pino's destination; its type leaves out the bytes that it takes with `contentMode: 'buffer'`. */
interface ByteStream
  extends Pick<ReturnType<typeof pino.destination>, 'flush' | 'flushSync' | 'on'> {
  write(bytes: Buffer | string): boolean;
}

function jsonStream({ logBatchMs, logCloseTimeoutMs }: LogTimings) {
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
  let flushing: Timer | undefined;
  function flush(): void {
    systemClock.cancel(flushing);
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
      write(line: string) {
        const maxBytes = line.length * maxBytesPerCodeUnit;
        if (length + maxBytes > batchBytes) flush();
        if (maxBytes > batchBytes) destination.write(Buffer.from(line));
        else length += lines.write(line, length);
        flushing ??= systemClock.after(logBatchMs, flush);
      },
    },
    async close() {
      flush();
      const written = new Promise<void>((resolve) => {
        destination.flush(() => resolve());
      });
      await waitAtMost({ ms: logCloseTimeoutMs }, written, () => {});
    },
  };
}

function prettyStream() {
  // Who read the lines is gone, or their disk is full.
  process.stderr.on('error', () => {});
  return {
    stream: { write: (line: string) => process.stderr.write(prettyLine(line)) },
    close: async () => {},
  };
}

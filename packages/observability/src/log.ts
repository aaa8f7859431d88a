import { hideTokens } from '@animal-store/contract/token-form';
import { type Clock, errorText, systemClock, type Timer, waitAtMost } from '@animal-store/runtime';
import { type Logger, pino } from 'pino';
import {
  defaultObservabilitySettings,
  type LogFormat,
  type LogLevel,
  type ObservabilitySettings,
} from './observability-settings.ts';
import { prettyLine } from './pretty-line.ts';

export type Log = Logger;

export type OpenLog = ReturnType<typeof openLog>;

type LogTimings = Pick<ObservabilitySettings, 'logBatchMs' | 'logCloseTimeoutMs'>;

/**
 * The number of bytes that are collected before a batch of lines is written. A batch is also
 * written after `logBatchMs`.
 */
const batchBytes = 128 * 1024;

/** The largest number of bytes that one UTF-16 code unit needs in UTF-8. */
const maxBytesPerCodeUnit = 3;

/** The largest number of bytes that may wait to be written. Further lines are dropped. */
const maxWaitingBytes = 16 * 1024 * 1024;

/**
 * Opens the log on stderr. stdout is used for the banner, which is meant for people who run `npm
 * start`.
 *
 * @param options.format the format of the lines; `undefined` means pretty lines on a terminal and
 * JSON elsewhere.
 * @param options.write a function that receives each line of JSON instead of stderr.
 * @param options.onDropped a function that gets the number of bytes when lines are dropped.
 */
export function openLog({
  level,
  format = process.stderr.isTTY ? 'pretty' : 'json',
  write,
  clock = systemClock,
  timings = defaultObservabilitySettings,
  onDropped = () => {},
}: {
  level: LogLevel;
  format: LogFormat | undefined;
  write?: ((line: string) => void) | undefined;
  clock?: Clock;
  timings?: LogTimings;
  onDropped?: (bytes: number) => void;
}) {
  const { stream, close } = write
    ? { stream: { write }, close: async () => {} }
    : format === 'pretty'
      ? prettyStream()
      : jsonStream(timings, onDropped);
  const timestamp = createTimestamp(clock);
  const log = pino(
    {
      level,
      // The log has no process id and no host name, because log collectors add the source of each
      // line.
      base: null,
      timestamp,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const isWritten = { info: log.isLevelEnabled('info'), warn: log.isLevelEnabled('warn') };

  /**
   * Writes a log line in the format of pino without calling pino. Requests use this function,
   * because `JSON.stringify` needs only a third of the CPU time that pino needs for the same fields
   * (docs/bends.md).
   */
  function writeLine(level: 'info' | 'warn', fields: object, message: string): void {
    if (!isWritten[level]) return;
    const json = JSON.stringify(fields).slice(1, -1);
    stream.write(`{"level":"${level}"${timestamp()},${json},"msg":"${message}"}\n`);
  }

  return { log, writeLine, close };
}

/**
 * Returns the properties of an error that may be logged. Database drivers add other properties with
 * SQL statements, parameters and commands, and pino's own serializer would write all of them.
 */
export function describeFailure(failure: unknown) {
  if (!(failure instanceof Error)) return { type: typeof failure };
  const { name, message, stack = '' } = failure;
  const text = errorText(failure);
  // The stack contains only the error's own message, or no message. Pretty lines show only the stack.
  // `replace` gets functions, because it would change the characters `$&` in a text.
  const complete =
    message === ''
      ? stack.replace(/^.*/, () => `${name}: ${text}`)
      : stack.replace(message, () => text);
  return { type: name, message: hideTokens(text), stack: hideTokens(complete) };
}

/**
 * Creates the function that writes the time of a log line in ISO 8601. The text is cached for a
 * millisecond. Without the cache, formatting the time would take a third of the CPU time of each
 * log line under load.
 */
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

/**
 * The destination to which pino writes. pino's own type does not declare that `write` accepts
 * bytes, although it does with `contentMode: 'buffer'`.
 */
interface ByteStream
  extends Pick<ReturnType<typeof pino.destination>, 'flush' | 'flushSync' | 'on'> {
  write(bytes: Buffer | string): boolean;
}

function jsonStream(
  { logBatchMs, logCloseTimeoutMs }: LogTimings,
  onDropped: (bytes: number) => void,
) {
  /** The time at which the process stops waiting for the reader of the log. */
  let patienceEndsAt = Number.POSITIVE_INFINITY;
  // The destination is asynchronous, so that the service does not block when the program that reads
  // the log stops reading. If too many bytes wait, further lines are lost.
  const destination: ByteStream = pino.destination({
    fd: 2,
    sync: false,
    // With strings instead of buffers, the destination would convert each line into bytes three
    // times.
    contentMode: 'buffer',
    // With a `minLength` of 0, pino's `flush` would call its callback before all lines are written.
    minLength: 1,
    maxWrite: 2 * batchBytes,
    maxLength: maxWaitingBytes,
    // If the reader of the log has stopped reading, the pipe is full. At the exit of the process,
    // pino would wait for the reader forever, and the process would never end.
    retryEAGAIN: () => systemClock.elapsed() < patienceEndsAt,
  });
  // The function may write a line of the log itself, so it is called after the current line has been
  // written. Otherwise, its line would be lost with the batch that is being written.
  destination.on('drop', (bytes: Buffer) => queueMicrotask(() => onDropped(bytes.length)));
  // An error, such as a full disk, does not stop the process, and lines wait for the next attempt.
  // But at the exit of the process, pino would try to write the remaining lines forever, and the
  // process would never end. So flushing at the exit is disabled after an error.
  destination.on('error', () => {
    destination.flushSync = () => {};
  });
  // The lines are collected before they reach the destination, because the destination would count
  // the bytes of all waiting lines again for each new line. The lines are collected as bytes,
  // because strings would be thousands of small objects that each garbage collection copies.
  const lines = Buffer.allocUnsafeSlow(batchBytes);
  let length = 0;
  let flushing: Timer | undefined;
  function flush(): void {
    systemClock.cancel(flushing);
    flushing = undefined;
    if (length > 0) destination.write(Buffer.from(lines.subarray(0, length)));
    length = 0;
  }
  // pino calls `flushSync` when the process exits and after a `fatal` line. The collected lines must
  // be written first.
  const { flushSync } = destination;
  destination.flushSync = () => {
    flush();
    patienceEndsAt = Math.min(patienceEndsAt, systemClock.elapsed() + logCloseTimeoutMs);
    try {
      flushSync.call(destination);
      patienceEndsAt = Number.POSITIVE_INFINITY;
    } catch {
      // The remaining lines are lost. The next attempt does not wait again.
      destination.flushSync = () => {};
    }
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
      await waitAtMost({ ms: logCloseTimeoutMs }, written, () => {
        patienceEndsAt = systemClock.elapsed();
      });
    },
  };
}

function prettyStream() {
  // An error must not stop the process. The program that reads the log may have exited, or its disk
  // may be full.
  process.stderr.on('error', () => {});
  return {
    stream: { write: (line: string) => process.stderr.write(prettyLine(line)) },
    close: async () => {},
  };
}

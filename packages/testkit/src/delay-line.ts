import type { Writable } from 'node:stream';

export type DelayLine = {
  /** Writes the chunk after `delayMs`, but never before an earlier one; `null` is the end. */
  push(chunk: Buffer | null, delayMs: number): void;
  /** Drops chunks that have not been written. */
  close(): void;
};

/**
 * A queue in front of a stream. Each chunk has its own due time, so a delay adds latency without reducing
 * the bandwidth. (A `Transform` that waits before each chunk would pass one chunk per delay.)
 */
export function delayLine(sink: Writable): DelayLine {
  const queue: { chunk: Buffer | null; dueAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush() {
    timer = undefined;
    while (queue[0] && queue[0].dueAt <= performance.now()) {
      const { chunk } = queue.shift() as (typeof queue)[0];
      if (chunk) sink.write(chunk);
      else sink.end();
    }
    if (queue[0]) timer = setTimeout(flush, Math.max(0, queue[0].dueAt - performance.now()));
  }

  return {
    push(chunk, delayMs) {
      queue.push({ chunk, dueAt: performance.now() + delayMs });
      if (!timer) flush();
    },
    close() {
      clearTimeout(timer);
      queue.length = 0;
    },
  };
}

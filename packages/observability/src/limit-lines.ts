import type { Clock, Timer } from '@animal-store/runtime';

/**
 * Creates a limit for log lines about events that anyone can cause. Without the limit, an attacker
 * could fill the disk with these lines.
 *
 * @param options.lines the number of lines that each cause may have in a period.
 * @param options.onSkipped a function that is called at the end of a period in which lines were
 * skipped. It gets the causes of these lines, each with the number of its skipped lines.
 */
export function limitLines<Cause>(options: {
  clock: Clock;
  lines: number;
  periodMs: number;
  onSkipped: (skipped: ReadonlyMap<Cause, number>) => void;
}) {
  const { clock, lines, periodMs, onSkipped } = options;
  const wanted = new Map<Cause, number>();
  let timer: Timer | undefined;

  function endPeriod(): void {
    clock.cancel(timer);
    timer = undefined;
    const tooMany = [...wanted].filter(([, count]) => count > lines);
    wanted.clear();
    if (tooMany.length > 0) {
      onSkipped(new Map(tooMany.map(([cause, count]) => [cause, count - lines])));
    }
  }

  return {
    isWritten(cause: Cause): boolean {
      timer ??= clock.after(periodMs, endPeriod).unref();
      const count = (wanted.get(cause) ?? 0) + 1;
      wanted.set(cause, count);
      return count <= lines;
    },

    close: endPeriod,
  };
}

/**
 * Reports the first event of each cause immediately. Further events of the same cause are reported
 * together after a minute.
 */
export function reportOncePerMinute<Cause>(
  clock: Clock,
  report: (cause: Cause, times: number) => void,
) {
  const limits = limitLines<Cause>({
    clock,
    lines: 1,
    periodMs: 60_000,
    onSkipped(skipped) {
      for (const [cause, times] of skipped) report(cause, times);
    },
  });
  return {
    record(cause: Cause): void {
      if (limits.isWritten(cause)) report(cause, 1);
    },
    close: limits.close,
  };
}

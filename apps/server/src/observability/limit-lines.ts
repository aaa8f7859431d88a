import type { Clock, Timer } from '../shared/clock.ts';

/**
 * Bounds the lines about what anybody can cause: an attacker could fill the disk with them.
 *
 * @param options.lines how many lines each cause may have in a period.
 * @param options.maxCauses how many causes are told apart. All others share the lines of one.
 * @param options.onSkipped called at the end of a period with the number of lines that each cause had
 * too many, if any.
 */
export function limitLines<Cause>(options: {
  clock: Clock;
  lines: number;
  periodMs: number;
  maxCauses?: number;
  onSkipped: (skipped: ReadonlyMap<Cause | 'others', number>) => void;
}) {
  const { clock, lines, periodMs, maxCauses = Number.POSITIVE_INFINITY, onSkipped } = options;
  const wanted = new Map<Cause | 'others', number>();
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
      const counted = wanted.has(cause) || wanted.size < maxCauses ? cause : 'others';
      const count = (wanted.get(counted) ?? 0) + 1;
      wanted.set(counted, count);
      return count <= lines;
    },

    close: endPeriod,
  };
}

/** Tells of the first event of each cause at once, and of later ones of a minute together. */
export function limitToMinutes<Cause>(clock: Clock, tell: (cause: Cause, times: number) => void) {
  const limits = limitLines<Cause>({
    clock,
    lines: 1,
    periodMs: 60_000,
    onSkipped(skipped) {
      for (const [cause, times] of skipped) tell(cause as Cause, times);
    },
  });
  return {
    note(cause: Cause): void {
      if (limits.isWritten(cause)) tell(cause, 1);
    },
    close: limits.close,
  };
}

import type { AuditState } from '@animal-store/contract/admin';

/** Two states, reduced to the members in which they differ. */
export interface StateDifference {
  readonly before: AuditState;
  readonly after: AuditState;
}

/**
 * Compares two states of a key or an operator.
 *
 * @returns `undefined` if they are the same.
 */
export function differenceOf(before: AuditState, after: AuditState): StateDifference | undefined {
  const names = Object.keys({ ...before, ...after }) as (keyof AuditState)[];
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return undefined;
  const only = (state: AuditState) =>
    Object.fromEntries(changed.filter((name) => name in state).map((name) => [name, state[name]]));
  return { before: only(before), after: only(after) };
}

/** What a new key or operator has. What it lacks is left out. */
export function differenceFromNothing(after: AuditState): StateDifference {
  return {
    before: {},
    after: Object.fromEntries(Object.entries(after).filter(([, member]) => member !== null)),
  };
}

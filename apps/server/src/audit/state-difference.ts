import type { AuditState } from '@animal-store/contract/admin';

/** Two states, reduced to the members in which they differ. */
export interface StateDifference {
  readonly before: AuditState;
  readonly after: AuditState;
}

/**
 * Compares two states of a key or an operator.
 *
 * @param before `undefined` for a new one: the difference is then what it has.
 * @returns `undefined` if they are the same.
 */
export function differenceOf(
  before: AuditState | undefined,
  after: AuditState,
): StateDifference | undefined {
  if (before === undefined) return { before: {}, after: withoutNulls(after) };
  const names = Object.keys({ ...before, ...after }) as (keyof AuditState)[];
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return undefined;
  const only = (state: AuditState) =>
    Object.fromEntries(changed.filter((name) => name in state).map((name) => [name, state[name]]));
  return { before: only(before), after: only(after) };
}

function withoutNulls(state: AuditState): AuditState {
  return Object.fromEntries(Object.entries(state).filter(([, member]) => member !== null));
}

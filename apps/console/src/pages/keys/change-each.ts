/** The changes that have failed so far, and why. */
export interface Remaining<Item> {
  readonly items: readonly Item[];
  readonly failures: readonly { readonly item: Item; readonly error: Error }[];
}

/**
 * Makes changes one after another. A failure does not prevent the others.
 *
 * Each change is a transaction of its own in the service. All at once, they would take every
 * connection of a replica's pool.
 *
 * @param onProgress called after each change.
 * @returns the failed changes.
 */
export async function changeEach<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<unknown>,
  onProgress: (remaining: Remaining<Item>) => void,
): Promise<Remaining<Item>> {
  let remaining: Remaining<Item> = { items, failures: [] };
  for (const item of items) {
    try {
      await change(item);
      remaining = { ...remaining, items: remaining.items.filter((other) => other !== item) };
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      remaining = { ...remaining, failures: [...remaining.failures, { item, error }] };
    }
    onProgress(remaining);
  }
  return remaining;
}

/** The items that were not changed, and the error of each. */
export interface Remaining<Item> {
  readonly items: readonly Item[];
  readonly failures: readonly { readonly item: Item; readonly error: Error }[];
}

/**
 * Changes items one after another. If one change fails, the remaining changes are still made.
 *
 * Each change is a transaction in the service. If all of them were sent at the same time, they
 * would use all database connections of a replica.
 *
 * @param onProgress called after each change.
 * @returns the items whose change failed.
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

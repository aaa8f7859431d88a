/** What has not been changed yet, and why. */
export interface Remaining<Item> {
  readonly items: readonly Item[];
  readonly failures: readonly { readonly item: Item; readonly error: Error }[];
}

/**
 * Changes one after another. A failure does not keep the others from being changed.
 *
 * One after another, because each change is a transaction of its own in the service: all at once they would
 * take every connection of a replica's pool.
 *
 * @param onProgress called after each.
 * @returns those that failed.
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

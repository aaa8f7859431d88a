/** Every {@link PetStatus}, for menus and validation. */
export const petStatuses = ['available', 'pending', 'sold'] as const;

/** Checks whether a text is a status that this version lists: a newer service may send others. */
export function isPetStatus(status: unknown): status is (typeof petStatuses)[number] {
  return (petStatuses as readonly unknown[]).includes(status);
}

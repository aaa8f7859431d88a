/** Every {@link PetStatus}, for menus and validation. */
export const petStatuses = ['available', 'pending', 'sold'] as const;

/** Checks whether this version lists a status. A newer service may send others. */
export function isPetStatus(status: unknown): status is (typeof petStatuses)[number] {
  return (petStatuses as readonly unknown[]).includes(status);
}

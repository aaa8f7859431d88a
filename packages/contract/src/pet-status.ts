/** All values of {@link PetStatus}, for menus and validation. */
export const petStatuses = ['available', 'pending', 'sold'] as const;

/**
 * Checks whether a value is a status that this version knows. A newer version of the service may
 * send other statuses.
 */
export function isPetStatus(status: unknown): status is (typeof petStatuses)[number] {
  return (petStatuses as readonly unknown[]).includes(status);
}

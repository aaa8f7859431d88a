/**
 * The largest number of parts of a name that are compared. For example, `filter[status]` has two
 * parts. Real programs send names with fewer parts.
 */
const maxParts = 4;

/** Additional misspellings of the query parameters of `GET /pets`, with the names that they mean. */
export const misspeltPetParameters: Readonly<Record<string, string>> = {
  petId: 'ids',
  animalId: 'ids',
  petStatus: 'status',
  category: 'categoryId',
};

/**
 * Returns a function that finds the known name that a name looks like, such as `categoryId` for
 * `category_id`, or `undefined` if there is none. A known name itself is not misspelt. Each part of
 * a name such as `filter[status]` is compared.
 *
 * @param others additional misspellings, with the names that they mean.
 */
export function createMisspeltNameFinder(
  knownNames: readonly string[],
  others: Readonly<Record<string, string>> = {},
): (name: string) => string | undefined {
  const own = knownNames.map((name) => [name, name] as const);
  const names = new Map(
    [...own, ...Object.entries(others)].map(([name, meant]) => [canonicalName(name), meant]),
  );
  return (name) => {
    if (knownNames.includes(name)) return undefined;
    const parts = name.split(/[[.]/, maxParts);
    return [name, ...(parts.length > 1 ? parts : [])]
      .map((part) => names.get(canonicalName(part)))
      .find((meant) => meant !== undefined);
  };
}

/**
 * Reduces a name to a form in which common misspellings are equal. The form is in lower case,
 * contains only letters, and has no plural ending.
 */
function canonicalName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/ies$/, 'y')
    .replace(/s(es)?$/, '');
}

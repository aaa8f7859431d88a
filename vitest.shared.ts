/**
 * How many test files run at a time, in every project: of the root's configuration they inherit
 * nothing, and vitest's default is one less than there are cores. It is one more than the two cores
 * of a small machine, because most tests wait for servers and databases.
 */
export const maxWorkers = 3;

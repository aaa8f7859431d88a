/**
 * The part of papaparse that the console uses. `@types/papaparse` is not used, because it adds the
 * types of Node, which browsers do not have.
 */
declare module 'papaparse' {
  const papaparse: { unparse(lines: readonly (readonly (string | number | null)[])[]): string };
  // biome-ignore lint/style/noDefaultExport: papaparse has only a default export.
  export default papaparse;
}

/**
 * The used part of papaparse. `@types/papaparse` includes all types of Node, which browsers do not
 * have.
 */
declare module 'papaparse' {
  const papaparse: { unparse(lines: readonly (readonly (string | number | null)[])[]): string };
  // biome-ignore lint/style/noDefaultExport: papaparse has only a default export.
  export default papaparse;
}

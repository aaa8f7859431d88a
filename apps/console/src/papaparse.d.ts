/** What is used of it: `@types/papaparse` brings all types of Node, which browsers have not. */
declare module 'papaparse' {
  const papaparse: { unparse(lines: readonly (readonly (string | number | null)[])[]): string };
  // biome-ignore lint/style/noDefaultExport: it has no other.
  export default papaparse;
}

const bytesPerMegabyte = 1_000_000;

/**
 * The memory that a process with the embedded database needs at its start, with a reserve. In
 * containers, a first start was killed with 604 MB and worked with 629 MB, because `initdb` runs in
 * a second WebAssembly module. Later starts were killed with 178 MB and worked with 189 MB.
 */
const neededMegabytes = { firstStart: 640, laterStart: 256 };

/**
 * Returns a warning if the memory limit of the container is too low for the embedded database,
 * otherwise `undefined`. The kernel kills a process that reaches the limit, and the process cannot
 * say why. The limit is no reason to refuse the start, because the container may have swap space.
 *
 * @param limitBytes the limit. 0 means that it is not known.
 */
export function describeLittleMemory(
  start: keyof typeof neededMegabytes,
  limitBytes: number = process.constrainedMemory(),
): string | undefined {
  const needed = neededMegabytes[start];
  if (limitBytes === 0 || limitBytes >= needed * bytesPerMegabyte) return undefined;
  const limit = Math.floor(limitBytes / bytesPerMegabyte);
  const when = start === 'firstStart' ? 'at its first start' : 'at its start';
  return `This process may use ${limit} MB of memory, but the embedded database needs ${needed} MB ${when}. If the process is killed, raise the memory limit, or set DATABASE_URL to use Postgres`;
}

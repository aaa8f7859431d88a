/**
 * The body of every response of the baseline servers: the first page of the benchmark's animals.
 */
export const constantList = Array.from({ length: 20 }, (_, index) => ({
  id: index + 1,
  name: `Animal ${index + 1}`,
  categoryId: (index + 1) % 10,
  status: (['pending', 'sold', 'available'] as const)[index % 3],
}));

// biome-ignore lint/style/noProcessEnv: each baseline server is a program of its own, without the config.ts of the service
export const port = Number(process.env['PORT']);

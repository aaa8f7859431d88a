import type { Server } from '@animal-store/testkit';
import { call } from './test-service.ts';

/** An animal as answers show it. */
export type Pet = {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number | bigint;
  readonly status: string;
};

/** All animals that a server has, page by page. */
export async function listAll(
  { baseUrl }: Pick<Server, 'baseUrl'>,
  token: string,
): Promise<Map<number, Pet>> {
  const found = new Map<number, Pet>();
  let url: string | undefined = `${baseUrl}/pets?limit=100`;
  while (url !== undefined) {
    const { body, headers } = await call(url, { token });
    for (const pet of body as Pet[]) found.set(pet.id, pet);
    url = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  }
  return found;
}

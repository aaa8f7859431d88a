import type { Pet } from '@animal-store/contract';
import type { Server } from '@animal-store/testkit';
import { call } from './test-service.ts';

/**
 * Reads all animals of a server, page by page.
 *
 * @param ask a function that sends the request for a page.
 * @throws an Error if a page does not have the status 200.
 */
export async function listAll(
  { baseUrl }: Pick<Server, 'baseUrl'>,
  token: string,
  ask: typeof call = call,
): Promise<Map<number, Pet>> {
  const found = new Map<number, Pet>();
  let url: string | undefined = `${baseUrl}/pets?limit=100`;
  while (url !== undefined) {
    const { status, body, text, headers } = await ask(url, { token });
    if (status !== 200) throw new Error(`The request for a page got ${status}: ${text}`);
    for (const pet of body as Pet[]) found.set(pet.id, pet);
    url = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  }
  return found;
}

/** An API key, or a function that returns the current one. */
export type ApiKey = string | (() => string | Promise<string>);

/** The two functions that provide the API key of a client. */
type ApiKeySource = [
  /**
   * Returns the current key. If the source is a function, it is called once, and all calls share
   * its result.
   */
  getKey: () => Promise<string>,
  /**
   * Gets another API key from the source, after the service refused the given key. Concurrent calls
   * share one call of the source.
   *
   * @returns whether the source provided another API key.
   */
  renewKey: (refused: string) => Promise<boolean>,
];

/**
 * Creates the source of a client's API key. The key lives in a closure, so that code that inspects
 * or serializes a client cannot find it.
 *
 * @throws {TypeError} if the key cannot be sent.
 */
export function createApiKeySource(apiKey: ApiKey | undefined): ApiKeySource {
  const ask = typeof apiKey === 'function' ? apiKey : () => apiKey;
  if (ask !== apiKey) checkApiKey(apiKey);
  let current: Promise<string> | undefined;

  function get(): Promise<string> {
    current ??= Promise.resolve()
      .then(ask)
      .then(checkApiKey)
      .catch((error) => {
        // The client must not cache a failure of the user's function, so that the next call of the
        // client calls the function again.
        current = undefined;
        throw error;
      });
    return current;
  }

  async function renew(refused: string): Promise<boolean> {
    const known = get();
    if ((await known) === refused && current === known) current = undefined;
    return (await get()) !== refused;
  }

  return [get, renew];
}

/**
 * Checks that the API key can be sent in a header.
 *
 * @throws {TypeError} whose message never quotes the key, because errors end up in logs.
 */
export function checkApiKey(apiKey: unknown): string {
  // `fetch` would also refuse a key with invalid characters, but its error quotes the whole header
  // with the key.
  if (typeof apiKey !== 'string' || !/^[!-~]+$/.test(apiKey)) {
    const fault = !apiKey
      ? 'missing'
      : /^bearer /i.test(String(apiKey))
        ? 'expected the API key without "Bearer"'
        : 'expected visible ASCII';
    throw new TypeError(`apiKey (or ANIMAL_STORE_API_KEY): ${fault}`);
  }
  return apiKey;
}

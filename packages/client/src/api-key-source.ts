/** An API key, or a function that returns the current one. */
export type ApiKey = string | (() => string | Promise<string>);

/** The source of a client's API key. */
type ApiKeySource = [
  /** Returns the key. A function is called once, for all calls. */
  getKey: () => Promise<string>,
  /**
   * Requests another key, because the service refused this one. Concurrent calls share one request.
   *
   * @returns whether there is another key.
   */
  renewKey: (refused: string) => Promise<boolean>,
];

/**
 * Creates the source. The key lives in a closure, so that nothing that inspects or serializes a
 * client finds it.
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
        // The next call calls the function again.
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
 * Checks that a key can be sent.
 *
 * @throws {TypeError} that never quotes the key, because errors end up in logs.
 */
export function checkApiKey(apiKey: unknown): string {
  // This also keeps `fetch` from quoting the whole header with the key in an error of its own.
  if (typeof apiKey !== 'string' || !/^[!-~]+$/.test(apiKey)) {
    const fault = !apiKey
      ? 'missing'
      : /^bearer /i.test(String(apiKey))
        ? 'expected the key without "Bearer"'
        : 'expected visible ASCII';
    throw new TypeError(`apiKey (or ANIMAL_STORE_API_KEY): ${fault}`);
  }
  return apiKey;
}

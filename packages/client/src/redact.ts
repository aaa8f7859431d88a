/** A key this short is no secret but a placeholder, and may be part of an ordinary word. */
const minKeyLength = 8;

/** Takes the API key out of a text that somebody else wrote. */
export type Redact = (text: string) => string;

/**
 * Creates a function that takes the API key out of a text.
 *
 * Debugging proxies answer with the request as they got it, `Authorization` and all; from an error
 * the key would go into every log.
 */
export function createRedact(apiKey: string): Redact {
  return function redact(text) {
    return apiKey.length < minKeyLength ? text : text.replaceAll(apiKey, '[API key]');
  };
}

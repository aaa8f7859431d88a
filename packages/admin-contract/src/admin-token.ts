/** The default port of the ops listener. The setting `OPS_PORT` changes it. */
export const defaultOpsPort = 3_001;

/**
 * Returns whether a text can be used as an admin token. It must be long enough not to be guessed,
 * and valid in a header.
 */
export const isAdminToken = (text: string): boolean => /^[\x21-\x7e]{16,256}$/.test(text);

/** The description of a valid admin token, for messages about an invalid one. */
export const expectedAdminToken =
  '16 to 256 visible ASCII characters, such as the output of: openssl rand -hex 32';

/** The default port of the operators' listener, which `OPS_PORT` changes. */
export const defaultOpsPort = 3_001;

/**
 * Returns whether a text can be an admin token: long enough not to be guessed, and valid in a
 * header.
 */
export const isAdminToken = (text: string): boolean => /^[\x21-\x7e]{16,256}$/.test(text);

/** What {@link isAdminToken} expects, for messages. */
export const expectedAdminToken =
  '16 to 256 visible ASCII characters, such as the output of: openssl rand -hex 32';

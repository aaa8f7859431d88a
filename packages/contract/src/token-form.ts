/** What every token begins with: those of API keys, of operators, and of operators' sessions. */
export const tokenSchemes = { key: 'ast_', operator: 'aso_', session: 'asc_' } as const;

/** The base-62 digits of a token. */
export const tokenDigits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** What follows the scheme: so many random digits, then the digits of their checksum. */
export const tokenLengths = { random: 30, checksum: 6 } as const;

const secretLength = tokenLengths.random + tokenLengths.checksum;

/**
 * How many characters after the scheme make a text a token, or too much of one. Whoever sees one
 * character less still has to guess 89 bits. Fewer would forbid names such as `forecast_production`.
 */
const minLength = 16;

/** Matches every token with its scheme in a text, also one that was cut. */
const withScheme = new RegExp(
  `(${Object.values(tokenSchemes).join('|')})[0-9A-Za-z]{${minLength},}`,
  'g',
);

/** Matches what may hold a token without its scheme. Secrets are stored in parts, and copied so. */
const longRun = new RegExp(`[0-9A-Za-z]{${secretLength},}`, 'g');

/** Why a text with a token is refused. */
export const noToken = 'expected no token: everybody who sees this could use it';

/** Tells whether a text contains what may be a token, or most of one. */
export function holdsToken(text: string): boolean {
  return hideTokens(text) !== text;
}

/** Removes everything that looks like a token from a text, before it is shown or logged. */
export function hideTokens(text: string): string {
  return text
    .replaceAll(withScheme, '$1…')
    .replaceAll(longRun, (run) => (holdsSecret(run) ? '…' : run));
}

/** Makes the checksum of the random digits of a token: their CRC-32, in base 62. */
export function tokenChecksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  while (digits.length < tokenLengths.checksum) {
    digits = tokenDigits.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Tells whether some 36 digits in a row are 30 and their checksum. By chance, one of 4 billion such rows is. */
function holdsSecret(run: string): boolean {
  for (let start = 0; start + secretLength <= run.length; start += 1) {
    const random = run.slice(start, start + tokenLengths.random);
    if (run.startsWith(tokenChecksum(random), start + tokenLengths.random)) return true;
  }
  return false;
}

/** The CRC-32 of ASCII text. Not of `node:zlib`: browsers use this file, too. */
function crc32(text: string): number {
  let crc = -1;
  for (let at = 0; at < text.length; at += 1) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

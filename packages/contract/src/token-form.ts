/**
 * The prefixes of the three kinds of tokens: API keys, operators' tokens, and operators' sessions.
 */
export const tokenSchemes = { key: 'ast_', operator: 'aso_', session: 'asc_' } as const;

/** The characters that a token may contain after its prefix: the 62 digits of base 62. */
export const tokenDigits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The number of digits after the prefix: random digits, and then the digits of their checksum. */
export const tokenLengths = { random: 30, checksum: 6 } as const;

const secretLength = tokenLengths.random + tokenLengths.checksum;

/**
 * The smallest number of digits after the prefix that makes a text a token. A text with 15 of the
 * 30 random digits is no risk: an attacker would still have to guess 89 bits. A much smaller number
 * would forbid names such as `forecast_production`, because `ast_production` looks like the
 * beginning of an API key.
 */
const minLength = 16;

/** Matches every token with its prefix in a text, even if the end of the token is missing. */
const withScheme = new RegExp(
  `(${Object.values(tokenSchemes).join('|')})[0-9A-Za-z]{${minLength},}`,
  'g',
);

/**
 * Matches a run of digits that is long enough to contain a token without its prefix, because people
 * sometimes copy or store only this part.
 */
const longRun = new RegExp(`(?<![0-9A-Za-z])[0-9A-Za-z]{${secretLength},}`, 'g');

/** The message for a text that is refused because it contains a token. */
export const noToken =
  'expected no token, because everybody who sees this text could use the token';

/** Returns whether a text seems to contain a token, or most of a token. */
export function holdsToken(text: string): boolean {
  return hideTokens(text) !== text;
}

/** Replaces everything in a text that looks like a token, before the text is shown or logged. */
export function hideTokens(text: string): string {
  return text
    .replaceAll(withScheme, '$1…')
    .replaceAll(longRun, (run) => (holdsSecret(run) ? '…' : run));
}

/** Returns the checksum of a token's random digits: their CRC-32, in base 62. */
export function tokenChecksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  while (digits.length < tokenLengths.checksum) {
    digits = tokenDigits.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/**
 * Returns whether a run of digits contains a token: 30 digits followed by their checksum. One of 4
 * billion runs of 36 digits matches by chance.
 *
 * A caller may send thousands of digits. So the CRC and the checksum are updated digit by digit,
 * and not computed again for each run of 30 digits.
 */
function holdsSecret(run: string): boolean {
  let crc = crc32(run.slice(0, tokenLengths.random));
  let checksum = 0;
  for (const digit of run.slice(tokenLengths.random, secretLength)) {
    checksum = checksum * 62 + digitValue(digit.charCodeAt(0));
  }
  for (let next = secretLength; crc !== checksum; next += 1) {
    if (next >= run.length) return false;
    const moved = run.charCodeAt(next - tokenLengths.checksum);
    const left = crcLeaving[run.charCodeAt(next - secretLength)] ?? 0;
    crc = (~feed(~crc, moved) ^ left) >>> 0;
    checksum = (checksum - digitValue(moved) * 62 ** 5) * 62 + digitValue(run.charCodeAt(next));
  }
  return true;
}

/** Returns the value of a base-62 digit, from its ASCII code. */
function digitValue(code: number): number {
  return code < 0x3a ? code - 0x30 : code < 0x5b ? code - 0x37 : code - 0x3d;
}

/** The lookup table of the CRC: for each byte, the change of the CRC when the byte is added. */
const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

function feed(crc: number, byte: number): number {
  return (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
}

/**
 * Returns the CRC-32 of an ASCII text. `node:zlib` has this function too, but browsers also use
 * this file.
 */
function crc32(text: string): number {
  let crc = -1;
  for (let at = 0; at < text.length; at += 1) crc = feed(crc, text.charCodeAt(at));
  return ~crc >>> 0;
}

/**
 * The table that removes the first of 31 digits from their CRC. CRCs are linear, so the effect of
 * the first digit does not depend on the 30 digits after it.
 */
const crcLeaving = Int32Array.from({ length: 128 }, (_, code) => {
  const zeros = '\0'.repeat(tokenLengths.random);
  return crc32(String.fromCharCode(code) + zeros) ^ crc32(zeros);
});

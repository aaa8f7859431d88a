/** The prefixes of tokens: API keys, operators, and operators' sessions. */
export const tokenSchemes = { key: 'ast_', operator: 'aso_', session: 'asc_' } as const;

/** The base-62 digits of a token. */
export const tokenDigits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The parts after the prefix: this many random digits, then the digits of their checksum. */
export const tokenLengths = { random: 30, checksum: 6 } as const;

const secretLength = tokenLengths.random + tokenLengths.checksum;

/**
 * How many characters after the prefix make a text count as a token. Someone who sees one character
 * less still has to guess 89 bits. A smaller number would forbid names such as
 * `forecast_production`.
 */
const minLength = 16;

/** Matches every token with its prefix in a text, even if its end is missing. */
const withScheme = new RegExp(
  `(${Object.values(tokenSchemes).join('|')})[0-9A-Za-z]{${minLength},}`,
  'g',
);

/**
 * Matches a text that may contain a token without its prefix. Secrets are sometimes stored and
 * copied in parts.
 */
const longRun = new RegExp(`(?<![0-9A-Za-z])[0-9A-Za-z]{${secretLength},}`, 'g');

/** Why a text with a token is refused. */
export const noToken = 'expected no token: everybody who sees this could use it';

/** Returns whether a text may contain a token, or most of one. */
export function holdsToken(text: string): boolean {
  return hideTokens(text) !== text;
}

/** Removes everything that looks like a token from a text, before it is shown or logged. */
export function hideTokens(text: string): string {
  return text
    .replaceAll(withScheme, '$1…')
    .replaceAll(longRun, (run) => (holdsSecret(run) ? '…' : run));
}

/** Returns the checksum of the random digits of a token: their CRC-32, in base 62. */
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
 * Returns whether 36 digits in a row are 30 digits and their checksum. One of 4 billion such rows
 * is by chance. The CRC and the checksum are updated from each row to the next, because a caller
 * may send thousands of rows.
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

/** The value of a base-62 digit, by its code in ASCII. */
function digitValue(code: number): number {
  return code < 0x3a ? code - 0x30 : code < 0x5b ? code - 0x37 : code - 0x3d;
}

/** The remainders of single bytes, with which a CRC advances by one byte. */
const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

function feed(crc: number, byte: number): number {
  return (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
}

/**
 * Returns the CRC-32 of ASCII text. It does not use `node:zlib`, because browsers use this file,
 * too.
 */
function crc32(text: string): number {
  let crc = -1;
  for (let at = 0; at < text.length; at += 1) crc = feed(crc, text.charCodeAt(at));
  return ~crc >>> 0;
}

/**
 * Removes the first of 31 digits from their CRC. CRCs are linear, so its effect is the same with
 * any 30 digits after it.
 */
const crcLeaving = Int32Array.from({ length: 128 }, (_, code) => {
  const zeros = '\0'.repeat(tokenLengths.random);
  return crc32(String.fromCharCode(code) + zeros) ^ crc32(zeros);
});

// Base64 as bytes, because not every runtime has `atob`, and strings of bytes would take twice the memory.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The codes of the digits of base64url. */
const DIGITS: Uint8Array = /* @__PURE__ */ Uint8Array.from(ALPHABET, (digit) => digit.charCodeAt(0));
const PAD = 61;
/** How many characters become part of the text at a time. */
const PART = 8192;

/** The length of the text for a number of bytes. */
export function base64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** Encodes bytes in base64url, with padding. */
export function toBase64(bytes: Uint8Array): string {
  const codes = new Uint8Array(base64Length(bytes.length));
  for (let at = 0, to = 0; at < bytes.length; at += 3, to += 4) {
    const bits = ((bytes[at] as number) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (let digit = 0; digit < 4; digit++) {
      codes[to + digit] = at + digit > bytes.length ? PAD : (DIGITS[(bits >> (18 - 6 * digit)) & 63] as number);
    }
  }
  let text = '';
  for (let at = 0; at < codes.length; at += PART) text += String.fromCharCode(...codes.subarray(at, at + PART));
  return text;
}

/** The value of a digit of base64 or base64url, by its code; 64 for other characters. */
function digitValue(code: number): number {
  if (code === 43) return 62;
  if (code === 47) return 63;
  const value = DIGITS.indexOf(code);
  return value < 0 ? 64 : value;
}

/** Decodes base64 or base64url, with padding. Returns undefined for any other text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  if (text.length % 4 !== 0) return undefined;
  const values = Uint8Array.from({ length: 128 }, (_, code) => digitValue(code));
  const bytes = new Uint8Array((text.length / 4) * 3);
  const digits = text.length - padding;
  let wrong = 0;
  for (let at = 0, to = 0; at < text.length; to += 3) {
    let bits = 0;
    for (const end = at + 4; at < end; at++) {
      const value = at < digits ? (values[text.charCodeAt(at)] ?? 64) : 0;
      wrong |= value & 64;
      bits = (bits << 6) | value;
    }
    bytes[to] = bits >> 16;
    bytes[to + 1] = bits >> 8;
    bytes[to + 2] = bits;
  }
  return wrong === 0 ? bytes.subarray(0, bytes.length - padding) : undefined;
}

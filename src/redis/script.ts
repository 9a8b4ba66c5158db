/** A Lua script. */
export class Script {
  readonly source: string;
  #sha: Promise<string> | undefined;

  constructor(source: string) {
    this.source = source;
  }

  /** The name by which Redis knows it: its SHA-1 in hexadecimal digits. */
  get sha(): Promise<string> {
    this.#sha ??= crypto.subtle
      .digest('SHA-1', new TextEncoder().encode(this.source))
      .then((digest) => Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join(''));
    return this.#sha;
  }
}

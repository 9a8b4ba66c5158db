import { mustBe } from '../validate.ts';

/** A WebAssembly module as the package embeds it. */
export interface EmbeddedCode {
  /** The bytes as text: see `decode`. */
  readonly text: string;
  /** The content of the section 'bloomery' in the same module as a file. */
  readonly stamp: string;
}

/**
 * Decodes bytes from text, which `encode` in tools/text.ts wrote: a digit of base 86, the characters from `(` to `~` but
 * for the backslash, after `!` for the second 86 values and `#` for the rest. The 86 values that need no prefix begin at
 * 249. This is a third shorter than hexadecimal, and compresses better.
 */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  let value = 249;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 40) {
      value += code === 33 ? 86 : 172;
    } else {
      bytes[length++] = value + code - (code > 92 ? 41 : 40);
      value = 249;
    }
  }
  return bytes.subarray(0, length);
}

/** A module that is compiled at its first use, unless a compiled one is given. */
export class EmbeddedModule {
  readonly #code: EmbeddedCode;
  readonly #file: string;
  #compiled: WebAssembly.Module | undefined;

  /** @param file where the package exports the module as a file */
  constructor(code: EmbeddedCode, file: string) {
    this.#code = code;
    this.#file = file;
  }

  get compiled(): WebAssembly.Module {
    this.#compiled ??= new WebAssembly.Module(decode(this.#code.text), { builtins: ['js-string'] });
    return this.#compiled;
  }

  /** Takes a compiled module instead of compiling one. */
  use(module: unknown): void {
    if (!(module instanceof WebAssembly.Module)) throw new TypeError(mustBe('module', 'a WebAssembly.Module', module));
    const [section] = WebAssembly.Module.customSections(module, 'bloomery');
    if (new TextDecoder().decode(section) !== this.#code.stamp) {
      throw new TypeError(`module must be the '${this.#file}' of this very version, got another`);
    }
    this.#compiled = module;
  }
}

import { mustBe } from '../util/checks/validate.ts';

/** A WebAssembly module that is embedded in the package as text. */
export interface EmbeddedCode {
  /** The bytes, encoded as text: see `decode`. */
  readonly text: string;
  /** Identifies the version: the content of the custom section 'bloomery' in the module's .wasm file. */
  readonly stamp: string;
}

/**
 * Decodes text written by `encode` in tools/embedded-text.ts. Each byte is a digit of base 92, one of the characters from `#` to
 * `~`. The first 92 byte values, counted from 247, have no prefix; the next 92 have the prefix `!`, the rest a space.
 * This is a third shorter than hexadecimal, and compresses better.
 */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  // This loop takes a third of the time to the first filter, most of it before V8 has compiled the loop.
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 35) code = text.charCodeAt(++i) + (code > 32 ? 92 : 184);
    // The array stores it modulo 256.
    bytes[length++] = code + 212;
  }
  return bytes.subarray(0, length);
}

const OPTIONS = { builtins: ['js-string'] };

/** A module that is compiled on first use, unless it was prepared or supplied before. */
export class EmbeddedModule {
  readonly code: EmbeddedCode;
  /** @internal */
  supplied: WebAssembly.Module | undefined;

  constructor(code: EmbeddedCode) {
    this.code = code;
  }

  /** @internal */
  get compiled(): WebAssembly.Module {
    this.supplied ??= new WebAssembly.Module(decode(this.code.text), OPTIONS);
    return this.supplied;
  }

  /**
   * Compiles the module in the background.
   *
   * @internal
   */
  async prepare(): Promise<WebAssembly.Module> {
    this.supplied ??= await WebAssembly.compile(decode(this.code.text), OPTIONS);
    return this.supplied;
  }
}

/**
 * Supplies the compiled form of an embedded module. A function, not a method, so that bundles can leave it out.
 *
 * @param file the path under which the package exports the module, for error messages
 * @throws TypeError for another module
 */
export function supply(embedded: EmbeddedModule, module: unknown, file: string): void {
  if (!(module instanceof WebAssembly.Module)) throw new TypeError(mustBe('module', 'a WebAssembly.Module', module));
  const [section] = WebAssembly.Module.customSections(module, 'bloomery');
  if (String.fromCharCode(...new Uint8Array(section ?? [])) !== embedded.code.stamp) {
    throw new TypeError(`module must be the '${file}' of this very version, got another`);
  }
  embedded.supplied = module;
}

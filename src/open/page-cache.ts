import type { CheckedSource } from './checked-source.ts';

/** The bytes of a page. */
const PAGE = 4096;

/** The pages that were used last, up to a number of bytes. */
class PageCache {
  readonly #most: number;
  /** In the order of their last use. */
  readonly #pages = new Map<number, Uint8Array>();

  constructor(bytes: number) {
    this.#most = Math.floor(bytes / PAGE);
  }

  get(page: number): Uint8Array | undefined {
    const bytes = this.#pages.get(page);
    if (bytes === undefined) return undefined;
    this.#pages.delete(page);
    this.#pages.set(page, bytes);
    return bytes;
  }

  set(page: number, bytes: Uint8Array): void {
    this.#pages.delete(page);
    this.#pages.set(page, bytes);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= this.#most) return;
      this.#pages.delete(oldest);
    }
  }
}

/** A source that keeps up to `bytes` bytes of what was read last from another one, in pages of 4 KiB. */
export function cached(source: CheckedSource, bytes: number): CheckedSource {
  const cache = new PageCache(bytes);
  const { size } = source;

  /** Reads pages that lie side by side, and keeps copies of them. */
  async function readPages(from: number, to: number, signal?: AbortSignal): Promise<Uint8Array[]> {
    const start = PAGE * from;
    const all = await source.read(start, Math.min(PAGE * to, size) - start, signal);
    return Array.from({ length: to - from }, (_, i) => {
      const page = all.slice(PAGE * i, PAGE * (i + 1));
      cache.set(from + i, page);
      return page;
    });
  }

  async function read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    const first = Math.floor(offset / PAGE);
    const end = Math.ceil((offset + length) / PAGE);
    const found = Array.from({ length: end - first }, (_, i) => cache.get(first + i));
    const result = new Uint8Array(length);
    const put = (page: number, bytes: Uint8Array): void => {
      const at = PAGE * page - offset;
      result.set(bytes.subarray(Math.max(0, -at), length - at), Math.max(0, at));
    };
    for (let page = first; page < end; page++) {
      const known = found[page - first];
      if (known) {
        put(page, known);
        continue;
      }
      let next = page + 1;
      while (next < end && !found[next - first]) next++;
      for (const [i, bytes] of (await readPages(page, next, signal)).entries()) put(page + i, bytes);
      page = next - 1;
    }
    return result;
  }

  return { ...source, read };
}

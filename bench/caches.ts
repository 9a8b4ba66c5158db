/** More than a processor's last cache has for one core. */
const BYTES = 2 ** 28;
const LINE = 64;

let memory: Uint8Array | undefined;

/** Displaces all else from the processor's caches. */
export function emptyCaches(): void {
  memory ??= new Uint8Array(BYTES);
  for (let at = 0; at < BYTES; at += LINE) memory[at] = (memory[at] as number) + 1;
}

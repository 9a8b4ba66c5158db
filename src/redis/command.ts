import type { Argument } from './adapter.ts';

interface BufferConstructor {
  from(buffer: ArrayBufferLike, offset: number, length: number): Uint8Array;
}

/** Node's class, which all runtimes have that run these clients. They take and give no other bytes. */
export const { Buffer } = globalThis as object as { Buffer: BufferConstructor };

/** The command as clients take it: bytes must be a Buffer. Does not copy them. */
export function clientCommand(command: readonly Argument[]): Argument[] {
  return command.map((each) =>
    typeof each === 'string' ? each : Buffer.from(each.buffer, each.byteOffset, each.byteLength),
  );
}

/** The command that waits until replicas have confirmed all earlier writes of a connection. */
export function waitCommand(replicas: number, milliseconds: number): string[] {
  return ['wait', String(replicas), String(milliseconds)];
}

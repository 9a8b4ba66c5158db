// What the package needs of the language and Hermes 0.12, of 2022, lacks: Array.prototype.at.
for (const { prototype } of [Array, Object.getPrototypeOf(Uint8Array)] as { prototype: object }[]) {
  if ('at' in prototype) continue;
  Object.defineProperty(prototype, 'at', {
    value(this: ArrayLike<unknown>, index: number) {
      return this[index < 0 ? this.length + index : index];
    },
  });
}

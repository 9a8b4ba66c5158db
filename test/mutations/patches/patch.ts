/** A small change to a file that the tests must notice: what is replaced occurs exactly once in the file. */
export type Patch = readonly [text: string, replacement: string, does: string];

/** The patches of each file. */
export type Patches = Readonly<Record<string, readonly Patch[]>>;

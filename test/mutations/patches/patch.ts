/** A small change to a file that the tests must notice. */
export type Patch = readonly [
  /** What is replaced. It occurs exactly once in the file. */
  text: string,
  replacement: string,
  /** What the change does. */
  does: string,
  /** Why it changes nothing that a caller could see. Such a patch is neither run nor counted. */
  unseen?: string,
];

/** The patches of each file. */
export type Patches = Readonly<Record<string, readonly Patch[]>>;

const MAGIC = 'BLMY';

/** Whether a file begins like a saved filter. */
export async function isSavedFilter(file: Blob): Promise<boolean> {
  return (await file.slice(0, MAGIC.length).text()) === MAGIC;
}

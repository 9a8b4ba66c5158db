/** Lets the browser save a Blob as a file. */
export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Revoked late, because the browser may not have begun to read the URL yet.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Lets the browser save a Blob as a file. */
export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser may still read it. A minute later it certainly has begun, and then it keeps what it needs.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// Saves what was made in the page.

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

/** The File System Access API, which only some browsers have. */
interface PickerWindow {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

export function canPickFile(): boolean {
  return 'showSaveFilePicker' in window;
}

/** Lets the user choose where to save; undefined if the user changes their mind. */
export async function pickFile(suggestedName: string): Promise<FileSystemFileHandle | undefined> {
  try {
    return await (window as PickerWindow).showSaveFilePicker?.({ suggestedName });
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined;
    throw error;
  }
}

// The File System Access API, which only some browsers have.

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

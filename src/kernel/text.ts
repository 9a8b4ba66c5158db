/** For the kernel to import where the runtime has no such function for WebAssembly. It is right, but slow. */
export function charCodeAt(text: string, index: number): number {
  return text.charCodeAt(index);
}

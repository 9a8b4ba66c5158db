// The types of the .wasm files: the build writes them beside those.

// The empty interface is for projects without types for WebAssembly. In others it changes nothing.
declare global {
  namespace WebAssembly {
    interface Module {}
  }
}

/**
 * A compiled module, which `useKernel` or a function like it takes: what Cloudflare Workers import from a .wasm file.
 */
declare const module: WebAssembly.Module;
export default module;

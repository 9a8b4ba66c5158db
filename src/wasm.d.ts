/** What runtimes that import WebAssembly make of a .wasm file. */
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}

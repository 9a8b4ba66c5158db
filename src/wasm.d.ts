/** The type of an imported .wasm file, in runtimes that can import WebAssembly. */
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}

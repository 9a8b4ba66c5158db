/** The files of `test/golden` as rows of its index. The bundle contains them: see `bundle.ts`. */
declare module 'golden-files' {
  type GoldenFile = import('../../format/golden.ts').Golden & { readonly base64: string };
  const files: readonly GoldenFile[];
  export default files;
}

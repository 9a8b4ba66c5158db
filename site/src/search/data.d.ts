/** The URL of the sections of all pages: see tools/docs/plugin.ts. */
declare module 'virtual:search-data' {
  const url: string;
  export default url;
}

/** The URL of the sections of the documentation: see tools/docs/plugin.ts. */
declare module 'virtual:search-data' {
  const url: string;
  export default url;
}

// The address of the page that could not be loaded, in the fragment of the address of the page that says so.

/**
 * The page that the fragment names; undefined if it names none of this site.
 *
 * @param href the address of the page for missing pages
 */
export function missingPage(href: string): { readonly href: string; readonly path: string } | undefined {
  const { hash } = new URL(href);
  const scope = new URL('./', href).href;
  try {
    const page = new URL(decodeURIComponent(hash.slice(1)), scope);
    // An address that leaves the site's folder was made by somebody else.
    if (!page.href.startsWith(scope) || page.href === scope) return undefined;
    return { href: page.href, path: page.href.slice(scope.length) };
  } catch {
    return undefined;
  }
}

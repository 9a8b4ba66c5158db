/**
 * Opens the folded part that has the target of the URL: not every browser does that by itself. No anchor of the site needs
 * to be decoded, and a fragment that somebody has typed may be nothing that can be.
 */
function unfold(): void {
  const target = document.getElementById(location.hash.slice(1));
  const folded = target?.closest<HTMLDetailsElement>('details:not([open])');
  if (!target || !folded) return;
  folded.open = true;
  target.scrollIntoView();
}

export function unfoldTargets(): void {
  unfold();
  addEventListener('hashchange', unfold);
  // A link to the place where one is already changes no address.
  addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest<HTMLAnchorElement>('a[href]')?.href === location.href) unfold();
  });
}

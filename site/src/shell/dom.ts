// Finding and making elements, and loading what few readers need.

/** The way from this page to the folder of the site. */
export const siteRoot = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name=bloomery-root]')?.content ?? '';

/**
 * The element with this id.
 *
 * @throws Error if there is none of this type: the page and its script do not fit
 */
export function element<T extends Element>(id: string, type: abstract new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found as T;
  throw new Error(`the page has no ${type.name} with the id '${id}'`);
}

/** Replaces the text of the element with this id. */
export function write(id: string, text: string): void {
  element(id, HTMLElement).textContent = text;
}

type Content = string | Node;

/** Makes an element with attributes and contents. Text is never parsed as HTML. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...contents: Content[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...contents);
  return made;
}

/** Makes an element of SVG with attributes. */
export function makeSvg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | number>> = {},
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  return made;
}

/** Terms with their values, for a `dl` of the class `facts`. */
export function factsOf(rows: readonly (readonly [name: string, value: string])[]): HTMLElement[] {
  return rows.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]);
}

/** Loads something when it is first asked for, and again if that failed. */
export function onDemand<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

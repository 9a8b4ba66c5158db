// The colors of charts, on a light and on a dark ground: of the site, and of the pictures in the documents. All have a
// contrast of at least 4.5 : 1, because names are written in them. Those of kinds are in the rows of the calculator.

export interface Tone {
  readonly light: string;
  readonly dark: string;
}

/** What a chart has besides its lines. The same as in site/src/design/tokens.css. */
export const ink = {
  ground: { light: '#ffffff', dark: '#1f2124' },
  text: { light: '#1d1e20', dark: '#eceae6' },
  muted: { light: '#5d5b56', dark: '#a5a7aa' },
  grid: { light: '#dfdbd4', dark: '#34373b' },
} as const satisfies Readonly<Record<string, Tone>>;

/** The color of bloomery beside others, and of its default kind. */
export const accent: Tone = { light: '#b03a0b', dark: '#ff9c66' };

/**
 * The style of an SVG file in both themes: its viewer's system chooses.
 *
 * @param rules gives rules of CSS, as text, from the colors of a theme
 */
export function themedStyle(rules: (color: (tone: Tone) => string) => string): string {
  const inTheme = (theme: keyof Tone): string => rules((tone) => tone[theme]);
  return `<style>\n${inTheme('light')}\n@media (prefers-color-scheme: dark) {\n${inTheme('dark')}\n}\n</style>`;
}

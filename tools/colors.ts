// The colors of charts, on a light and on a dark ground: of the site, and of the pictures in the documents. Each kind of
// filter has one color everywhere. All have a contrast of at least 4.5 : 1, because names are written in them.

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

/** The color of bloomery, beside others. */
export const accent: Tone = { light: '#b03a0b', dark: '#ff9c66' };

export const kindColors: Readonly<Record<string, Tone>> = {
  classic: accent,
  blocked: { light: '#1a66b8', dark: '#7db4f0' },
  wide: { light: '#7a3fb5', dark: '#c59bf2' },
  counting: { light: '#8a5a00', dark: '#e0b050' },
  cuckoo: { light: '#0f7561', dark: '#4fc9ae' },
  dleft: { light: '#7b5238', dark: '#cfa58a' },
  fuse: { light: '#b52a5c', dark: '#f58bb0' },
  tombstone: { light: '#5f5f6e', dark: '#b5b5c6' },
  scalable: { light: '#4f7010', dark: '#a9cc5c' },
  rotating: { light: '#0f6f86', dark: '#5cc5de' },
  stable: { light: '#9a4a3c', dark: '#e89a8b' },
  spatial: { light: '#4a55a8', dark: '#a5aef0' },
};

/** The color of what is in no row of its own. */
export function kindColor(kind: string): Tone {
  return kindColors[kind] ?? ink.muted;
}

type Theme = keyof Tone;

/** Rules of CSS, as text, from the colors of a theme. */
type Rules = (color: (tone: Tone) => string) => string;

/** The style of an SVG file in both themes: its viewer's system chooses. */
export function themedStyle(rules: Rules): string {
  const inTheme = (theme: Theme): string => rules((tone) => tone[theme]);
  return `<style>\n${inTheme('light')}\n@media (prefers-color-scheme: dark) {\n${inTheme('dark')}\n}\n</style>`;
}

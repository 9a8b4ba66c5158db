import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The relative luminance of WCAG 2. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

it.each(['docs/benchmark.svg', 'docs/bits-per-key.svg'])('%s can be read on light and on dark pages', (file) => {
  const svg = readFileSync(file, 'utf8');
  for (const style of svg.split('@media (prefers-color-scheme: dark)')) {
    const rules = [...style.matchAll(/([a-z.][\w.-]*) \{[^}]*(?:fill|stroke): (#[0-9a-f]{6})/g)];
    const colors = new Map(rules.map(([, selector = '', color = '']) => [selector, color]));
    const ground = colors.get('.ground') ?? '';
    const said = [...colors].filter(([selector]) => !['.ground', '.grid', '.halo'].includes(selector));
    expect(said.length).toBeGreaterThan(1);
    expect(colors.has('text')).toBe(true);
    const pale = said.filter(([name, color]) => contrastOf(color, ground) < (name.startsWith('text') ? 4.5 : 3));
    expect(pale).toEqual([]);
  }
  expect(svg).toMatch(/<rect class="ground"/);
  // No element has a color of its own, which would be the same on both.
  expect(svg.replace(/<style>[^<]*<\/style>/, '')).not.toMatch(/#[0-9a-f]{3,6}/);
});

// Browsers and systems in words, from the text by which a browser names itself.

/** The patterns of names, the more special ones first: most browsers also claim to be another. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, 'Edge'],
  [/\b(?:OPR|Opera)\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\bHeadlessChrome\/(\d+)/, 'Chromium'],
  [/\b(?:Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+(?:\.\d+)?)[\d.]* (?:Mobile\/\w+ )?Safari\//, 'Safari'],
];

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

export function systemName(userAgent: string): string {
  return systems.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'another system';
}

/** `Firefox 153`, `Safari 26.1`. Other browsers with the engine of Safari give a version that means nothing: `WebKit`. */
export function browserName(userAgent: string): string {
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    const isOther = name === 'Safari' && !['macOS', 'iOS'].includes(systemName(userAgent));
    return isOther ? 'WebKit' : `${name} ${version}`;
  }
  return 'another browser';
}

/** The family of a browser, which decides most of how fast it is: `Firefox`, `Chrome`, `Safari`. */
export function engineFamily(userAgent: string): string {
  if (/\bFirefox\//.test(userAgent)) return 'Firefox';
  return /\b(?:Headless)?Chrome\//.test(userAgent) ? 'Chrome' : 'Safari';
}

// What the conformance program itself needs and Hermes lacks. The package is evaluated before, and uses none of it.

/** UTF-8 by the functions of the language, so that the checks do not rely on the package's own encoder. */
class Encoder {
  encode(text = ''): Uint8Array {
    const whole = text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (unit) =>
      unit.length === 2 ? unit : '\ufffd',
    );
    const escaped = encodeURIComponent(whole).replace(/%(..)/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Uint8Array.from(escaped, (unit) => unit.charCodeAt(0));
  }
}

Object.assign(globalThis, { TextEncoder: Encoder });

// Hermes' own program calls timers at once, whatever their time is.
const { setTimeout: callSoon, clearTimeout: forget } = globalThis;
Object.assign(globalThis, {
  setTimeout: (call: () => void, milliseconds = 0) => (milliseconds < 1000 ? callSoon(call) : undefined),
  clearTimeout: (timer: Parameters<typeof forget>[0]) => timer === undefined || forget(timer),
});

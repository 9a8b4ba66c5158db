// Turns comments that tell a value into checks of that value.

/** Answers in comments: `true`, `2`, `9,585,059`, `'a'`, `['a', 'b']`, `Uint8Array [1, 0]`; more text may follow. */
const ANSWER =
  /^(?:(?:Uint8Array )?\[[^\]]*\]|'[^']*'|true\b|false\b|undefined\b|-?\d+(?:,\d{3})*(?:\.\d+)?)(?=[,:;. ]|$)/;
const STATEMENT = /^(?:(?:const|let) (\w+) = )?(.+?); *\/\/ (.*)$/;
const PRINTED = /^console\.log\((.*)\)$/;

/** `code` with a call of `expectAnswer` wherever a statement of one line is followed by a comment with an answer. */
export function withAnswersChecked(code: string): string {
  const lines = code.split('\n').map((line) => {
    const [, name, expression = '', comment = ''] = STATEMENT.exec(line.trim()) ?? [];
    const answer = ANSWER.exec(comment)?.[0];
    if (answer === undefined) return line;
    const check = (value: string): string => `expectAnswer(${value}, ${JSON.stringify(answer)});`;
    if (name !== undefined) return `const ${name} = ${expression}; ${check(name)}`;
    return check(PRINTED.exec(expression)?.[1] ?? expression);
  });
  return lines.join('\n');
}

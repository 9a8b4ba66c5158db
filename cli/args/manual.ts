// The manual page, in the language of man(7), made from what defines the commands.

import { type Command, flagsOf, withHelp } from './command.ts';
import { usageOf } from './help.ts';

/** Text as troff takes it: its own characters are escaped, and no line begins with one that makes it a request. */
function plain(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&');
}

const bold = (text: string): string => `\\fB${plain(text)}\\fR`;
const paragraphs = (text: string): string => `${text.split('\n').map(plain).join('\n.PP\n')}\n`;
const term = (name: string, meaning: string): string => `.TP\n${name}\n${plain(meaning)}\n`;
const examples = (lines: readonly string[]): string => `.PP\n.nf\n.RS 4\n${lines.map(plain).join('\n')}\n.RE\n.fi\n`;

function commandPart(command: Command): string {
  const operands = command.operands.map(({ name, description }) => term(`\\fI${plain(name)}\\fR`, description));
  const options = Object.entries(withHelp(command.options)).map(([name, option]) => {
    const argument = option.argument === undefined ? '' : ` \\fI${plain(option.argument)}\\fR`;
    return term(`${bold(flagsOf(name, option))}${argument}`, option.description);
  });
  return (
    `.SS ${bold(`bloomery ${usageOf(command)}`)}\n` +
    paragraphs(command.description) +
    [...operands, ...options].join('') +
    examples(command.examples)
  );
}

/** The manual page of the program in this version. */
export function manualPage(commands: readonly Command[], version: string): string {
  return `.TH BLOOMERY 1 "" "bloomery ${plain(version)}" "User Commands"
.SH NAME
bloomery \\- Bloom filters for the lines of files
.SH SYNOPSIS
${bold('bloomery')} \\fIcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]
.SH DESCRIPTION
Finds which lines of files are in a list, which are not, and which are new. A list is kept in memory, exactly, or in a
small file, a filter, which errs now and then: a few lines that are not in the list seem to be, as many as the error rate
of the filter says.
.SH COMMANDS
${commands.map(commandPart).join('')}.SH EXIT STATUS
${term('0', 'for pick, omit and dedupe: a line was selected; for has: all keys may be in the filter; for get: a key has a value; for others: success')}${term('1', 'for pick, omit and dedupe: no line was selected; for has: a key is certainly not in the filter; for get: no key has a value; for redis check and redis repair: a warning')}${term('2', 'an error, or bytes after the end of gzip that were left out')}${term('141', 'the reader of a pipe has ended')}.SH ENVIRONMENT
${term(bold('REDIS_URL'), 'where Redis is, for the commands that begin with redis')}${term(bold('TMPDIR'), 'where build puts its temporary file, for the kinds that need one')}.SH SEE ALSO
.BR grep (1),
.BR sort (1),
.BR comm (1)
`;
}

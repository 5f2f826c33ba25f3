import { spawnSync } from 'node:child_process';

/**
 * The commands of a block of bash as a person counts them who pastes one after the other: each whole one with its
 * here-document and its pipeline; what `;`, `&&` or `||` joins at its top counts apiece.
 */
export function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let begun = '';
  for (const line of block.split('\n')) {
    begun += `${line}\n`;
    if (begun.trim() === '') begun = '';
    else if (isWhole(begun)) {
      commands.push(...joinedIn(begun));
      begun = '';
    }
  }
  if (begun !== '') throw new Error(`This is no whole command:\n${begun}`);
  return commands;
}

/** Bash reads an open here-document to the end of its input, and says so. */
function isWhole(text: string): boolean {
  if (text.endsWith('\\\n')) return false;
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  return status === 0 && stderr === '';
}

/** A function is one command, however many it will run; quoted text and a here-document are parts of theirs. */
function joinedIn(command: string): string[] {
  const [first = ''] = command.split(/<<\S+.*\n/);
  const plain = first
    .replaceAll(/\$\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
    .replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"/g, '')
    .replace(/^\w+\(\) \{.*\}$/m, '');
  return [command, ...(plain.match(/&&|\|\||;/g) ?? [])];
}

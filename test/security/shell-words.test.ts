import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellQuoted } from '../../console/data/shell.ts';

test('a text that a customer wrote is one word of a shell, and runs nothing', () => {
  const texts = ["https://api.example/contacts/it's", "'; echo run; '", '$(echo run) `echo run` "$HOME"', 'two\nlines'];
  const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${texts.map(shellQuoted).join(' ')}`]).toString();
  expect(printed.split('\0')).toEqual([...texts, '']);
});

import { expect, test } from 'vitest';
import { runProgram } from '../support/programs.ts';

test('the Python client repeats, walks lists and verifies webhooks as its README says', async () => {
  const args = ['-m', 'unittest', 'discover', '-s', 'clients/python/tests'];
  expect(await runProgram({ command: 'python3', args })).toMatch(/Ran (1[5-9]|[2-9]\d) tests[^]*\nOK/);
});

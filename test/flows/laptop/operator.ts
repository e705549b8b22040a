import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Ran } from '../../support/command-line.ts';
import { product, runAdmin } from './product.ts';

/** As a shell takes the line. */
const words = (line: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
const admin = (line: string): Promise<Ran> => runAdmin(words(line));

const page = readFileSync(join(import.meta.dirname, '../../../docs/operate.md'), 'utf8');
const scripts = [...page.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].map(([, text = '']) => text);
const begin = 'npm run admin -- ';
const demoTemplate = 'verification_code --language en';

/** The commands of its scripts that need no account, in their order. */
const lines = scripts.flatMap((script) => script.split('\n')).filter((line) => line.startsWith(begin) && !line.includes('--stack'));

/** test/admin/operate.test.ts looks up the others, which name a stack or need the operator's own values. */
export const operatorOnLaptop = (): void => {
  describe('an operator who follows docs/operate.md', () => {
    test('gets what its scripts are for, command by command', async () => {
      expect(lines.length).toBeGreaterThan(8);
      await product.idle();
      const profiles = z.array(z.object({ id: z.string(), name: z.string() }));
      for (const line of lines.map((each) => each.slice(begin.length))) {
        const known = profiles.parse(JSON.parse((await admin('profiles list --company 1 --json')).out));
        const profile = known.find(({ name }) => name === 'Login')?.id ?? '<uuid>';
        const ran = await admin(line.replace('<uuid>', profile).replace('<id>', '1').replace('login_code --language en_US', demoTemplate));
        // nothing is blocked on a new product, so there is nothing to delete
        if (line.startsWith('blocks delete')) expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('1') });
        else expect(ran, line).toMatchObject({ code: 0, err: '' });
      }
      expect((await admin('recount --company 1')).out).toBe('Nothing differs.\n');
    });
  });
};

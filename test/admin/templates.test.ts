import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTemplateFixture, type TemplateFixture } from '../templates/fixture.ts';
import { newCompany } from '../support/company.ts';
import { type Ran, startCommandHost, words } from '../support/command-line.ts';

let fixture: TemplateFixture;
const folder = mkdtempSync(join(tmpdir(), 'switchboard-admin-templates-'));
beforeAll(async () => {
  fixture = await startTemplateFixture();
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(AWS_|TABLE_NAME$|SEALING_|PROVIDER_)/.test(name)));
  writeFileSync(join(folder, 'runtime.json'), JSON.stringify({ pid: process.pid, env }));
});
afterAll(async () => {
  await commands[Symbol.asyncDispose]();
  await fixture.stop();
  rmSync(folder, { recursive: true, force: true });
});

const commands = startCommandHost();
const admin = (line: string): Promise<Ran> => commands.run([...words(line), '--data', folder]);

describe('templates on the command line', () => {
  test('are synced and listed, as text and as JSON', async () => {
    const company = await fixture.company();
    const components = [{ type: 'BODY', text: 'Hello.' }];
    await fixture.atProvider(company, [
      { name: 'hello_world', language: 'en_US', category: 'UTILITY', components },
      { name: 'paused_one', language: 'de', category: 'MARKETING', status: 'PAUSED', components },
    ]);
    const of = `--company ${company.id}`;
    const synced = await admin(`templates sync ${of} --json`);
    expect(JSON.parse(synced.out)).toEqual({ synced_count: 2, created_count: 2, updated_count: 0, removed_count: 0 });
    expect((await admin(`templates list ${of}`)).out).toMatch(/^id +name +language +status.*\n1 +hello_world +en_US +APPROVED/);
    const all = JSON.parse((await admin(`templates list ${of} --status all --json`)).out) as { name: string }[];
    expect(all.map(({ name }) => name)).toEqual(['hello_world', 'paused_one']);
  });

  test('report errors', async () => {
    expect(await admin('templates sync --company 77')).toMatchObject({ code: 1, err: expect.stringContaining('number') });
    expect(await admin('templates sync')).toMatchObject({ code: 2 });
    // what the product logs of it is not in the output that a script reads
    const refused = await admin(`templates sync --company ${(await newCompany()).id} --json`);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/\{"error":\{"code":"[a-z_]+","message":"[^\n]+\n$/);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { applyAll, openAll } from '../../bin/admin/restore.ts';
import { issueToken, rotateCompanyToken } from '../../functions/account/service/tokens.ts';
import { app } from '../../functions/app.ts';
import { passkeyEntity } from '../../functions/sessions/store/passkey.ts';
import { applyJournal } from '../../functions/change-stream/service/apply-journal.ts';
import { journalBucket } from '../../functions/change-stream/contract.ts';
import { suspendCompany } from '../../functions/administration/service/suspension.ts';
import { restoredTableVariable, variableOf } from '../../shared/contract/resource.ts';
import { idempotencyEntity } from '../../shared/http/idempotency.ts';
import { registry } from '../../shared/table/entity.ts';
import { tableName } from '../../shared/table/client.ts';
import { listObjects, wholeObject } from '../../shared/objects/bucket.ts';
import { inboundText, newCompany, unwrap } from '../support/company.ts';
import { copyTable, type TableCopy } from '../support/table-copy.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** What the stream consumer writes beside the table, and what comes back of it. */
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
afterEach(() => {
  delete process.env[restoredTableVariable];
});

const rules = app.flatMap(({ journal = [] }) => journal);
const steps = app.flatMap(({ restores = [] }) => restores);
const restoredFrom = async (copy: TableCopy): Promise<void> => {
  process.env[restoredTableVariable] = `${tableName()}/${crypto.randomUUID()}`;
  await testApp.restoreTable(copy);
};
const request = (sinceMs: number) => ({ source: tableName(), sinceMs, untilMs: testApp.clock.now() });
const brought = async (copy: TableCopy, backupAt: number): Promise<void> => {
  await restoredFrom(copy);
  await applyAll(request(backupAt));
  testApp.clock.advance(10_000);
  await testApp.drain();
  await openAll();
  testApp.clock.advance(10_000);
};
const objects = async (after?: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const key of listObjects(journalBucket, '', after)) keys.push(key);
  return keys;
};
const whoAmI = async (token: string): Promise<number> => (await testApp.call({ method: 'GET', path: '/api/v1/me', token })).status;

describe('the journal', () => {
  test('has for each kind that must survive one way in which it comes back, and the kinds are of the table', () => {
    expect(steps.map(({ of }) => of).toSorted()).toEqual(rules.map(({ of }) => of).toSorted());
    const kinds = new Set([...registry.map(({ name }) => name), idempotencyEntity.name, passkeyEntity.name]);
    expect(rules.map(({ of }) => of).filter((kind) => !kinds.has(kind))).toEqual([]);
    expect(new Set(rules.map(({ of }) => of)).size).toBe(rules.length);
  });

  test('is written before a batch is acknowledged: a bucket that refuses fails the batch, and the next delivery writes it', async () => {
    const company = await newCompany();
    await testApp.drain();
    const before = (await objects()).length;
    expect((await testApp.call(inboundText(company, { from: '4915100000001', text: 'STOP' }))).status).toBe(200);
    const name = process.env[variableOf(journalBucket)];
    process.env[variableOf(journalBucket)] = 'no-such-bucket';
    await expect(testApp.drain({ retry: false })).rejects.toThrow();
    process.env[variableOf(journalBucket)] = name;
    await testApp.drain();
    const added = (await objects()).slice(before);
    const lines = (await Promise.all(added.map((key) => wholeObject(journalBucket, key)))).filter(Boolean);
    expect([added.length > 0, lines.length]).toEqual([true, added.length]);
  });

  test('is listed in the order of its names, from behind any of them', async () => {
    const keys = await objects();
    expect(keys).toEqual(keys.toSorted());
    const [first = ''] = keys;
    expect(await objects(first)).toEqual(keys.slice(1));
  });
});

describe('a restored table', () => {
  test('takes a secret that was rotated since the backup no longer, and a company that was suspended stays so', async () => {
    const company = await newCompany();
    const [rotated, ending] = await Promise.all(
      ['one', 'two'].map(async (each) => unwrap(await issueToken(company.id, { user_id: company.users.owner, name: each }))),
    );
    const other = await newCompany();
    await testApp.drain();
    const copy = await copyTable();
    const backupAt = testApp.clock.now();
    unwrap(await rotateCompanyToken(company.id, rotated?.token.id ?? 0, 0));
    unwrap(await rotateCompanyToken(company.id, ending?.token.id ?? 0, 1));
    unwrap(await suspendCompany(other.id));
    await testApp.drain();
    await brought(copy, backupAt);
    expect(await Promise.all([rotated?.secret ?? '', ending?.secret ?? '', other.tokens.owner].map(whoAmI))).toEqual([401, 200, 403]);
    testApp.clock.advance(3_600_000);
    expect(await whoAmI(ending?.secret ?? '')).toBe(401);
  });

  test('begins a contact unsubscribed who came and opted out after the backup, and gives no id twice', async () => {
    const company = await newCompany();
    await testApp.drain();
    const copy = await copyTable();
    const backupAt = testApp.clock.now();
    const contact = async (phone: string): Promise<{ id: number; subscribed: boolean }> => {
      const made = await testApp.call({ method: 'POST', path: '/api/v1/contacts', token: company.tokens.owner, body: { phone } });
      return (made.body as { data: { id: number; subscribed: boolean } }).data;
    };
    const { id } = await contact('+4915100000002');
    expect((await testApp.call(inboundText(company, { from: '4915100000002', text: 'STOP' }))).status).toBe(200);
    await testApp.drain();
    await brought(copy, backupAt);
    const [other, again] = [await contact('+4915100000003'), await contact('+4915100000002')];
    expect([again.subscribed, other.id > id, again.id > id]).toEqual([false, true, true]);
  });

  test('is brought to the same place by a command that was interrupted and repeated', async () => {
    const company = await newCompany();
    await testApp.drain();
    const copy = await copyTable();
    const backupAt = testApp.clock.now();
    for (const from of ['4915100000004', '4915100000005']) {
      expect((await testApp.call(inboundText(company, { from, text: 'STOP' }))).status).toBe(200);
      await testApp.drain();
      testApp.clock.advance(3_600_000);
    }
    await restoredFrom(copy);
    let calls = 0;
    const failing = steps.map((step) => ({
      ...step,
      restore: (changes: Parameters<typeof step.restore>[0]) => {
        if (step.of === 'erased-identity' || ++calls > 1) throw new Error('interrupted');
        return step.restore(changes);
      },
    }));
    await expect(applyJournal(request(backupAt), failing)).rejects.toThrow('interrupted');
    expect((await applyAll(request(backupAt))).state).toBe('readable');
    const first = (await testApp.dump({ companyId: company.id })).length;
    await restoredFrom(copy);
    await applyAll(request(backupAt));
    expect((await testApp.dump({ companyId: company.id })).length).toBe(first);
  });
});

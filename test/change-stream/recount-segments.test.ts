import { deserialize, serialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { type Difference, recountCompany, type RecountPlace } from '../../functions/change-stream/service/recount.ts';
import { atBeginning, listCompanyPages } from '../../functions/change-stream/store/company-items.ts';
import { countsEntity } from '../../functions/contacts/store/digest.ts';
import { groupEntity } from '../../functions/contacts/store/group.ts';
import { dynamo } from '../../shared/table/client.ts';
import { counterEntity } from '../../shared/table/counter.ts';
import { inboundText, newCompany, type TestCompany } from '../support/company.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp();
const pageSize = 5;
const smallPages = 'testSmallPages';

/** Two companies, of which one is recounted, and pages so small that each segment has several. */
let company: TestCompany;
beforeAll(async () => {
  company = await newCompany();
  for (const each of [company, await newCompany()]) {
    const post = (path: string, body: object) => testApp.call({ method: 'POST', path: `/api/v1${path}`, token: each.tokens.owner, body });
    for (let index = 0; index < 8; index++)
      await post('/contacts', { phone: `+49151000000${index}0`, name: `Name ${index}`, groups: index % 2 === 0 ? ['even'] : ['odd'] });
    await post('/crm/leads', { phone: '+4915100000010', title: 'A lead' });
    for (const from of ['4915112345678', '4915112345679']) await testApp.call(inboundText(each, { from, text: 'Hello' }));
  }
  await testApp.drain({ including: 'delayed' });
  dynamo.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        next(commandName === 'ScanCommand' ? { ...args, input: { ...args.input, Limit: pageSize } as unknown as typeof args.input } : args),
    { step: 'initialize', name: smallPages },
  );
});
afterAll(async () => {
  dynamo.middlewareStack.remove(smallPages);
  await testApp.stop();
});

const options = {
  reactions: app.flatMap(({ reactions }) => reactions ?? []),
  recounts: app.flatMap(({ recounts }) => recounts ?? []),
  shouldWrite: false,
  untilBrought: () => Promise.resolve(),
};

describe('a table that is read in segments', () => {
  const keysIn = async (segments?: number): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { items } of listCompanyPages(company.id, atBeginning(segments)))
      keys.push(...items.map(({ pk, sk }) => `${String(pk)}|${String(sk)}`));
    return keys.toSorted();
  };

  test.each([1, 2, 4, 7])('gives each item of the company once, by %i reads at a time and no more', async (segments) => {
    const inOrder = await keysIn();
    expect(inOrder.length).toBeGreaterThan(segments * pageSize);
    expect(new Set(inOrder).size).toBe(inOrder.length);
    const together = Promise.withResolvers<void>();
    let [begun, reading, most] = [0, 0, 0];
    using _reads = testApp.onTable(async ({ command, when }) => {
      if (command !== 'Scan') return;
      reading += when === 'before' ? 1 : -1;
      most = Math.max(most, reading);
      if (when === 'after') return;
      if (++begun === segments) together.resolve();
      // no first page is read before the first of each segment is requested
      await together.promise;
    });
    expect(await keysIn(segments)).toEqual(inOrder);
    expect(begun).toBeGreaterThan(segments);
    expect(most).toBe(segments);
  });

  test('fails a recount where two segments cannot be read, in place of finding no difference', async () => {
    using _refused = testApp.onTable(({ command, input, when }) => {
      if (command === 'Scan' && when === 'before' && Number(input['Segment']) > 1) throw tableError('AccessDeniedException');
    });
    await expect(recountCompany(company.id, { ...options, segments: 4 })).rejects.toThrow('AccessDeniedException');
  });
});

describe('a recount in segments', () => {
  test('finds the differences that one after another finds, in one order, and puts them right', async () => {
    const recounted = (segments?: number): Promise<Difference[]> =>
      recountCompany(company.id, { ...options, ...(segments === undefined ? {} : { segments }) });
    for (const segments of [undefined, 4]) expect(await recounted(segments)).toEqual([]);

    const companyId = company.id;
    const counter = { companyId, of: 'contact' };
    for (const group of await groupEntity.collect({ pk: groupEntity.key({ companyId, id: 1 }).pk }))
      await groupEntity.change({ companyId, id: group.id }, { set: { contactsCount: 77 } });
    await counterEntity.change(counter, { set: { total: 99 } });
    await countsEntity.delete({ companyId, row: 0 });
    const inOrder = await recounted();
    expect(inOrder.map(({ projection }) => projection).toSorted()).toEqual(['contact-counts', 'counter', 'group', 'group']);
    for (const segments of [1, 2, 4, 7]) expect(await recounted(segments), `${segments} segments`).toEqual(inOrder);

    const right = await recountCompany(companyId, { ...options, shouldWrite: true, segments: 4 });
    expect(right).toEqual(inOrder.map((each) => ({ ...each, outcome: 'put right' })));
    for (const segments of [undefined, 4]) expect(await recounted(segments)).toEqual([]);
  });
});

describe('a recount that was cut off', () => {
  test.each([1, 4])('goes on where it stood, in %i segments, and finds what one finds that was not', async (segments) => {
    const counter = { companyId: company.id, of: 'contact' };
    const { total = 0 } = (await counterEntity.get(counter, { consistent: true })) ?? {};
    await counterEntity.change(counter, { set: { total: 99 } });
    const whole = await recountCompany(company.id, { ...options, segments });
    expect(whole.map(({ projection }) => projection)).toEqual(['counter']);

    let pages = 0;
    using _pages = testApp.onTable(({ command, when }) => {
      if (command === 'Scan' && when === 'after') pages++;
    });
    await recountCompany(company.id, { ...options, segments });
    const pagesOfWhole = pages;
    pages = 0;
    let stored: RecountPlace | undefined;
    let found: Difference[] | undefined;
    for (let cuts = 0; found === undefined; cuts++) {
      let left = 3;
      const store = (place: () => RecountPlace): void => {
        stored = deserialize(serialize(place())) as RecountPlace;
        if (--left === 0) throw new Error('Cut off.');
      };
      found = await recountCompany(company.id, { ...options, segments, place: { stored, store } }).catch((error: Error) => {
        expect(error.message).toBe('Cut off.');
        return undefined;
      });
      expect(cuts).toBeLessThan(pagesOfWhole);
    }
    expect(found).toEqual(whole);
    // what was under way at a cut is read again, and no page that was taken
    expect(pages).toBeLessThanOrEqual(pagesOfWhole + (segments - 1) * Math.ceil(pagesOfWhole / 3));
    await counterEntity.change(counter, { set: { total } });
    expect(await recountCompany(company.id, options)).toEqual([]);
  });
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { companiesAtOnce, inspectCompanies } from '../../bin/admin/doctor/company.ts';
import { getCompanyRecord } from '../../functions/account/service/companies.ts';
import { startAccountApp } from '../account/setup.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';

const testApp = await startAccountApp();
afterAll(() => testApp.stop());
afterEach(() => void vi.unstubAllEnvs());

describe('the doctor walks companies', () => {
  test('so many at a time and no more, in their order, and one whose provider is slow holds no other', async () => {
    const made: TestCompany[] = [];
    for (let nth = 0; nth < companiesAtOnce + 4; nth++) made.push(await newCompany({ roles: [] }));
    const companies = await Promise.all(made.map(async ({ id }) => unwrap(await getCompanyRecord(id))));
    const others = companies.length - 1;
    let inspected = 0;
    let mostAtOnce = 0;
    const begun = new Set<string>();
    using _reads = testApp.onTable(({ input }) => {
      const [, id] = /"C#(\d+)/.exec(JSON.stringify(input)) ?? [];
      if (id !== undefined) begun.add(id);
      mostAtOnce = Math.max(mostAtOnce, begun.size - inspected);
    });
    const called = new Set<number>();
    // the first company's provider answers when all others are done; theirs, when as many wait as may
    const mayAnswer = (index: number): boolean => (index === 0 ? inspected === others : called.size >= companiesAtOnce);
    await using provider = await startProvider((id) => {
      const index = made.findIndex(({ number }) => [number.phoneNumberId, number.wabaId].includes(id));
      called.add(index);
      return () => mayAnswer(index);
    });
    vi.stubEnv('PROVIDER_BASE_URL', provider.url);

    const inspections = await inspectCompanies(companies, (done) => {
      inspected = done;
      provider.answer();
    });

    expect(inspections.map(({ about }) => about)).toEqual(
      companies.flatMap(({ id, name }, index) => [`company ${id} (${name})`, `number 1 (${made[index]?.number.phone}) of company ${id}`]),
    );
    const ofNumbers = inspections.filter(({ about }) => about.startsWith('number'));
    // the slow one was waited for: it has an answer of the provider, too
    for (const { about, findings } of ofNumbers)
      expect(findings, about).toContainEqual(expect.objectContaining({ message: 'The provider does not take the access token.' }));
    expect([mostAtOnce, inspected]).toEqual([companiesAtOnce, companies.length]);
  });
});

interface Provider extends AsyncDisposable {
  url: string;
  /** Looks again which calls may be answered. */
  answer: () => void;
}

/** A provider that takes no access token, and says so only once it may. `onCall`: the id that is called; returns whether it may be answered. */
async function startProvider(onCall: (id: string) => () => boolean): Promise<Provider> {
  let waiting: { mayAnswer: () => boolean; send: () => void }[] = [];
  const answer = (): void => {
    const ready = waiting.filter(({ mayAnswer }) => mayAnswer());
    waiting = waiting.filter((each) => !ready.includes(each));
    for (const { send } of ready) send();
  };
  const server = createServer((request, response) => {
    const [, , id = ''] = new URL(request.url ?? '/', 'http://provider').pathname.split('/');
    const send = (): void => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 190, message: 'Invalid OAuth access token.' } }));
    };
    waiting.push({ mayAnswer: onCall(id), send });
    answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

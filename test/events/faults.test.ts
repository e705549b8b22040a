import { afterAll, describe, expect, test } from 'vitest';
import { messageEntityName } from '../../functions/messaging/contract/stored.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { inboundText, newCompany, type TestCompany } from '../support/company.ts';
import { injectFaults } from '../support/fault-injection.ts';
import { targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { checkpoints, type Condition, holdsBy } from '../support/mutation.ts';
import { seeded, seedsFrom } from '../support/random.ts';
import { firstSeed, runSize } from '../support/run-size.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp({ shards: 4 });
afterAll(() => testApp.stop());

interface Seen {
  id: string;
  subject: string;
  type: string;
  data: Record<string, unknown>;
}

/**
 * Customers write and users assign and close while the stream's batches crash, come twice and are cut anew, in four shards, and a page follows
 * the log. When all is quiet the page has each change once, those of a record in the order in which they were written.
 */
const runs = async (company: TestCompany, seeds: readonly number[]): Promise<string[]> => {
  const crashes = crashInjection();
  const wrong: string[] = [];
  const written: string[] = [];
  const lineOf = (subject: unknown, what: unknown): string => `conversation:${String(subject)} ${String(what)}`;
  using _changes = testApp.onChange(({ before, after }) => {
    if (after?.['companyId'] !== company.id) return;
    if (after['kind'] === messageEntityName && !before) written.push(lineOf(after['contactId'], `message ${String(after['id'])}`));
    const stateOf = (row: Record<string, unknown> | undefined) => JSON.stringify([row?.['status'], row?.['assignedTo'] ?? 0]);
    if (after['kind'] === 'conversation' && before && stateOf(before) !== stateOf(after))
      written.push(lineOf(after['contactId'], `${String(after['status'])} ${JSON.stringify(after['assignedTo'] ?? null)}`));
  });
  using _life = crashes.over(testApp);
  const seen: Seen[] = [];
  let after = '0';
  const poll = async (limit: number): Promise<boolean> => {
    const answer = await testApp.call({ method: 'GET', path: '/api/v1/events', query: { after, limit }, token: company.tokens.owner });
    if (answer.status !== 200) return true;
    const { data, meta } = answer.body as { data: Seen[]; meta: { next_cursor: string; has_more: boolean } };
    seen.push(...data);
    after = meta.next_cursor;
    return meta.has_more;
  };
  for (const seed of seeds) {
    const random = seeded(seed);
    await using faults = await injectFaults(testApp, seed);
    const crashStep = (most: number): number | undefined => (random() < 0.5 ? 1 + Math.floor(random() * most) : undefined);
    for (let op = 0; op < 8; op++) {
      const from = String(4_970_000_000_000 + seed * 10 + Math.floor(random() * 3));
      await crashes.runWithCrash(undefined, () => testApp.call(inboundText(company, { from, id: `wamid.e${seed}-${op}`, text: 'x' })));
      const [id] = /\d+/.exec(seen.at(Math.floor(random() * seen.length))?.subject ?? '') ?? [];
      const body =
        random() < 0.5 ? { status: random() < 0.5 ? 'open' : 'closed' } : { assigned_to: random() < 0.5 ? company.users.owner : null };
      if (id !== undefined)
        await crashes.runWithCrash(undefined, () =>
          testApp.call({ method: 'PUT', path: `/api/v1/conversations/${id}`, token: company.tokens.owner, body }),
        );
      const disorder = { seed: seed * 100 + op, duplicate: 0.3, crash: 0.2, replay: 0.3, reorder: true };
      if (random() < 0.6) await crashes.runWithCrash(crashStep(40), () => testApp.drain({ disorder, retry: false, sideBySide: true }));
      if (random() < 0.5) await poll(1 + Math.floor(random() * 10));
      await crashes.runWithCrash(crashStep(40), () => faults.between());
    }
    for (const steps of [crashStep(40), undefined]) await crashes.runWithCrash(steps, () => testApp.drain({ retry: false }));
    await testApp.drain({ disorder: { seed, duplicate: 0.3, replay: 0.3, reorder: true }, sideBySide: true });
    faults.endLateReads();
  }
  await testApp.drain();
  for (let quiet = 0; quiet < 2; quiet++) while (await poll(20));
  const ids = seen.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) wrong.push('an event was shown twice');
  const shown = seen.flatMap(({ type, subject, data }) => {
    if (type === 'message.received') return [`${subject} message ${String(data['message_id'])}`];
    return type === 'conversation.updated' ? [`${subject} ${String(data['status'])} ${String(data['assigned_to'])}`] : [];
  });
  // messages and states of a conversation are different records: each in its own order
  const byRecord = (lines: readonly string[]) =>
    Map.groupBy(lines, (line) => `${line.split(' ')[0]} ${line.includes(' message ') ? 'messages' : 'states'}`);
  const [expected, found] = [byRecord(written), byRecord(shown)];
  for (const record of new Set([...expected.keys(), ...found.keys()])) {
    const [a, b] = [expected.get(record) ?? [], found.get(record) ?? []];
    if (a.join() !== b.join()) wrong.push(`${record}: written ${a.join()}; shown ${b.join()}`);
  }
  return wrong;
};

const count = runSize(2, 200);

describe('the event log under faults', () => {
  test(
    `in ${count} runs loses nothing, shows nothing twice, and keeps the order of each record`,
    async () => {
      expect(await runs(await newCompany({ roles: ['owner'] }), seedsFrom(firstSeed, count))).toEqual([]);
      for (const round of targetedRounds())
        expect(await runs(await newCompany({ roles: ['owner'] }), seedsFrom(50_000 + round * 8, 8))).toEqual([]);
    },
    60_000 + count * 20_000 + targetedRoundsMs,
  );

  const holds = (name: string, condition: Condition, seed: number): void =>
    holdsBy(name, condition, /shown/, 20, async (round) => runs(await newCompany({ roles: ['owner'] }), seedsFrom(seed + round * 3, 3)));

  holds(
    'that no other item is at its place',
    { in: 'functions/events/store/events.ts', replace: 'eventsEntity.put(item, missing())', by: 'eventsEntity.put(item)' },
    105_000,
  );
  holds('the checkpoints of its items', checkpoints, 111_000);
});

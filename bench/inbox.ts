import * as z from 'zod';
import { smallestSnapshot } from '../functions/contacts/domain/search-snapshot.ts';
import { updateSearchSnapshot } from '../functions/contacts/service/search-snapshots.ts';
import { getSearchSnapshot } from '../functions/contacts/store/search-snapshot.ts';
import { inboxViews } from '../functions/conversations/contract/inbox.ts';
import { filterOfView, isShownBy } from '../functions/conversations/domain/conversation.ts';
import type { MeteredRounds } from '../test/support/sdk-hooks.ts';
import { generatedContacts, loadContacts } from './large-contacts.ts';
import { loadConversations, seldomAssigned } from './large-inbox.ts';
import { type BenchFixture, expectOk, type Figure } from './scenario.ts';

/** What an inbox of this many conversations costs: each view, filter and search, its first page and the next, and the counts. */
export const measureInbox = async ({ testApp, company, token }: BenchFixture, size: number, hasLatencies = false): Promise<Figure[]> => {
  await loadContacts(company.id, size);
  const summaries = await loadConversations(company.id, company.users, size);
  if (size >= smallestSnapshot)
    while (((await getSearchSnapshot(company.id, { consistent: true }))?.asOf ?? 0) < testApp.clock.now() - 120_000)
      await updateSearchSnapshot(company.id);
  const get = (path: string, query: string) =>
    testApp.meterRounds(() => expectOk(testApp.call({ method: 'GET', path: `/api/v1/conversations${path}?${query}`, token })));
  const figures: Figure[] = [];
  const pageOf = async (query: string) =>
    page.parse((await expectOk(testApp.call({ method: 'GET', path: `/api/v1/conversations?${query}`, token }))).body);
  const middle = wireTime(summaries.at(Math.floor(size / 2))?.lastMessageAt ?? 0);
  const queries = [
    ['all', ''],
    ...inboxViews.map((view) => [view, `view=${view}`] as const),
    ['status=closed, unread', 'status=closed&unread=1'],
    ['read', 'unread=0'],
    ['of a user who has few', `assigned_to=${seldomAssigned}`],
    ['closed of a user who has few, unread', `assigned_to=${seldomAssigned}&status=closed&unread=1`],
    ['newer than half of all', `lastmessagetime=${middle}`],
    ['open, newer than half of all', `view=open&lastmessagetime=${middle}`],
  ] as const;
  for (const [name, query] of queries) {
    const atMost = wholeLists.includes(name) ? 33 : 30;
    const first = await get('', query);
    const { meta } = await pageOf(query);
    // a small view has one page
    const next = meta.next_cursor === null ? first : await get('', `${query}&cursor=${encodeURIComponent(meta.next_cursor)}`);
    figures.push(
      { name: `${name}, first page, reads`, unit: 'RRU', value: first.rru, atMost },
      { name: `${name}, next page, reads`, unit: 'RRU', value: next.rru, atMost },
      { name: `${name}, sequential rounds`, unit: 'rounds', value: Math.max(lastReadRound(first), lastReadRound(next)), atMost: 4 },
    );
  }
  const people = generatedContacts();
  const [contact] = Array.from({ length: 3 }, people).slice(-1);
  const searches = [
    ['search of a name', `search=${encodeURIComponent(contact?.name ?? '')}`],
    ['search of a common part of names', 'search=an'],
    ['search of a phone', `search=${contact?.phone}`],
    ['search of words in open conversations', 'view=open&text=where%20order'],
    ['search of words that none has', 'text=refund'],
  ] as const;
  for (const [name, query] of searches) {
    // a process that has searched once has the snapshot in its memory
    await pageOf(query);
    figures.push({ name: `${name}, reads`, unit: 'RRU', value: (await get('', query)).rru, atMost: 60 });
  }
  if (hasLatencies)
    for (const [name, query] of [...queries, ...searches]) {
      const took: number[] = [];
      for (let nth = 0; nth < 40; nth++) {
        // the limit of a minute is not what is measured
        testApp.clock.advance(1_500);
        const began = performance.now();
        await pageOf(query);
        took.push(performance.now() - began);
      }
      figures.push({ name: `${name}, p95`, unit: 'ms', value: Math.round(took.toSorted((a, b) => a - b)[37] ?? 0), atMost: 100 });
    }
  const counts = await get('/counts', '');
  figures.push({ name: 'counts, reads', unit: 'RRU', value: counts.rru, atMost: 0.5 });
  const { data } = counted.parse((await expectOk(testApp.call({ method: 'GET', path: '/api/v1/conversations/counts', token }))).body);
  for (const view of inboxViews) {
    const filter = filterOfView(view, company.users.owner);
    if (data[view] !== summaries.filter((summary) => isShownBy(summary, filter)).length) throw new Error(`View ${view} is counted wrong.`);
  }
  return figures;
};

/** They read every cell, those of no view of open conversations too: docs/decisions/inbox-views.md */
const wholeLists = ['all', 'read', 'newer than half of all'];

/** After the reads, one call of many also writes how many units its credential has consumed: that one is left out. */
const lastReadRound = ({ uses }: MeteredRounds): number => Math.max(...uses.filter(({ rru }) => rru > 0).map(({ round }) => round));

const page = z.object({ meta: z.object({ next_cursor: z.string().nullable() }) });
const counted = z.object({ data: z.record(z.string(), z.int()) });

const wireTime = (ms: number): string => encodeURIComponent(new Date(ms).toISOString().slice(0, 19).replace('T', ' '));

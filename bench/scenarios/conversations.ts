import * as z from 'zod';
import { inboundText } from '../../test/support/company.ts';
import { withFixture, type Scenario, expectOk } from '../scenario.ts';

export const scenario: Scenario = {
  name: 'conversations',
  description: 'An inbound text through receiver, queue and change stream; the inbox and a conversation read',
  deterministic: true,
  measure: () =>
    withFixture(async ({ testApp, company, token }) => {
      for (let i = 0; i < 25; i++)
        await expectOk(testApp.call(inboundText(company, { from: `49151400000${String(i).padStart(2, '0')}`, text: 'Hi' })));
      await testApp.drain();
      testApp.clock.advance(60_000);
      const again = inboundText(company, { from: '4915140000001', text: 'Are you there?' });
      const receiver = await testApp.meter(() => expectOk(testApp.call(again)));
      const worked = await testApp.meter(() => testApp.drain());
      const path = '/api/v1/conversations';
      const inbox = await testApp.meterRounds(() => expectOk(testApp.call({ method: 'GET', path, token })));
      const listed = await expectOk(testApp.call({ method: 'GET', path, token }));
      const found = await testApp.meter(() => expectOk(testApp.call({ method: 'GET', path, query: { search: '4915140000003' }, token })));
      const [first] = z.object({ data: z.array(z.object({ id: z.int() })).min(1) }).parse(listed.body).data;
      const messages = await testApp.meterRounds(() =>
        expectOk(testApp.call({ method: 'GET', path: `${path}/${first?.id}/messages`, token })),
      );
      const sync = (query: Record<string, string | number>) =>
        testApp.meterRounds(() => expectOk(testApp.call({ method: 'GET', path: '/api/v1/sync', query, token })));
      const open = { conversation_id: first?.id ?? 0, state: 'viewing' };
      // a screen of messages
      for (let nth = 0; nth < 20; nth++)
        await expectOk(
          testApp.call(inboundText(company, { from: '4915140000001', text: `${nth} ${'Do you have rye bread today? '.repeat(3)}` })),
        );
      await testApp.drain();
      const begun = await expectOk(testApp.call({ method: 'GET', path: '/api/v1/sync', query: open, token }));
      const { data, meta } = syncAnswer.parse(begun.body);
      const bare = await sync({ after: meta.next_cursor });
      const version = { after: meta.next_cursor, version: data.thread.version };
      const quiet = await sync({ ...open, ...version, messages: 'false' });
      const wanted = await sync({ ...open, ...version });
      await expectOk(testApp.call(inboundText(company, { from: '4915140000002', text: 'Hello?' })));
      await testApp.drain();
      const changed = await sync({ ...open, ...version, messages: 'false' });
      return [
        { name: 'receiver, writes', unit: 'WRU', value: receiver.wru, atMost: 0 },
        // its token and its secrets, once in ten seconds by a process
        { name: 'receiver, reads', unit: 'RRU', value: receiver.rru, atMost: 1 },
        { name: 'receiver, requests to the queue', unit: 'requests', value: receiver.queueCalls, atMost: 1 },
        { name: 'inbound message stored and folded, writes', unit: 'WRU', value: worked.wru },
        { name: 'inbound message stored and folded, reads', unit: 'RRU', value: worked.rru },
        // of all conversations, which no page of the console reads: 19 partitions
        { name: 'list, first page of 20, reads', unit: 'RRU', value: inbox.rru, atMost: 33 },
        { name: 'list, first page, sequential rounds', unit: 'rounds', value: inbox.rounds, atMost: 4 },
        { name: 'search by phone among 25, reads', unit: 'RRU', value: found.rru },
        { name: 'messages of a conversation, reads', unit: 'RRU', value: messages.rru },
        { name: 'messages of a conversation, sequential rounds', unit: 'rounds', value: messages.rounds, atMost: 2 },
        { name: 'a look that finds nothing, reads', unit: 'RRU', value: bare.rru, atMost: 1.5 },
        { name: 'a look that finds nothing, writes', unit: 'WRU', value: bare.wru, atMost: 1 },
        { name: 'a look that finds nothing, with an open conversation, reads', unit: 'RRU', value: quiet.rru, atMost: 2 },
        { name: 'a look that finds nothing, with its messages, reads', unit: 'RRU', value: wanted.rru, atMost: 6 },
        { name: 'a look that finds nothing, with an open conversation, writes', unit: 'WRU', value: quiet.wru, atMost: 1 },
        { name: 'a look that finds a message, with an open conversation, reads', unit: 'RRU', value: changed.rru },
        { name: 'a look, sequential rounds', unit: 'rounds', value: Math.max(quiet.rounds, wanted.rounds, changed.rounds), atMost: 5 },
      ];
    }),
};

const syncAnswer = z.object({
  data: z.object({ thread: z.object({ version: z.string() }) }),
  meta: z.object({ next_cursor: z.string() }),
});

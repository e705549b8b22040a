import * as z from 'zod';
import { inboundText, statusPost, type TestCompany } from '../../test/support/company.ts';
import type { Call } from '../../test/support/gateway-event.ts';
import type { Metered } from '../../test/support/sdk-hooks.ts';
import { type BenchFixture, withFixture, type Scenario, expectOk } from '../scenario.ts';

const sent = z.object({ data: z.object({ message_wamid: z.string() }) });

export const scenario: Scenario = {
  name: 'receiving',
  description:
    'What the provider posts, beyond the receiver and the queue: inbound messages, statuses, each new and again, with all that follows',
  deterministic: true,
  measure: () =>
    withFixture(async (fixture) => {
      const { testApp, company } = fixture;
      const known = '4915170000001';
      const textFrom = (from: string, id: string): Call => inboundText(company, { from, id, text: 'Hi' });
      const receive = async (post: Call): Promise<Metered> => {
        await expectOk(testApp.call(post));
        return testApp.meter(() => testApp.drain());
      };
      await receive(textFrom(known, 'wamid.a'));
      testApp.clock.advance(60_000);
      const post = textFrom(known, 'wamid.b');
      const inbound = await receive(post);
      const again = await receive(post);
      const stranger = await receive(textFrom('4915170000002', 'wamid.c'));

      const first = await statuses(fixture, '+4915170000003', true);
      testApp.clock.advance(60_000);
      const later = await statuses(fixture, '+4915170000003', false);
      const total = (of: readonly Metered[]): number => of.reduce((sum, { wru }) => sum + wru, 0);
      return [
        // the message, its conversation with its place in the inbox, and a line of the event log, which messages of one batch share
        { name: 'inbound of a known contact, writes', unit: 'WRU', value: inbound.wru, atMost: 5 },
        // one for each batch is what the company's endpoints subscribe to, and its changes may come in two: docs/decisions/webhook-delivery-per-endpoint.md
        { name: 'inbound of a known contact, reads', unit: 'RRU', value: inbound.rru, atMost: 3 },
        { name: 'the same delivery again, writes', unit: 'WRU', value: again.wru, atMost: 1 },
        { name: 'inbound of a stranger, writes', unit: 'WRU', value: stranger.wru },
        {
          name: 'a status, sent or read: dearest, writes',
          unit: 'WRU',
          value: Math.max(...later.filter((_, nth) => nth !== outcome).map(({ wru }) => wru)),
          atMost: 1.2,
        },
        // and one of the row of its company and day, for whatever the batch has: docs/decisions/usage-by-day.md
        { name: 'a status delivered, alone in its batch, writes', unit: 'WRU', value: later[outcome]?.wru ?? 0, atMost: 2 },
        {
          name: 'a status, sent, delivered or read: dearest, reads',
          unit: 'RRU',
          value: Math.max(...later.map(({ rru }) => rru)),
          atMost: 3,
        },
        {
          name: 'a status again: dearest, writes',
          unit: 'WRU',
          value: Math.max(...(await repeated(fixture)).map(({ wru }) => wru)),
          atMost: 1,
        },
        { name: 'three statuses of the first message to a contact ever, writes', unit: 'WRU', value: total(first) },
        { name: 'the first delivery to a contact ever, writes', unit: 'WRU', value: first[1]?.wru ?? 0 },
      ];
    }),
};

/** The second of the three: with it a message counts as used. */
const outcome = 1;

let last: { company: TestCompany; wamid: string; reference: string } | undefined;

/** A message's three statuses, each with what follows from it. */
async function statuses({ testApp, company, stub, token }: BenchFixture, phone: string, isFirst: boolean): Promise<Metered[]> {
  const body = { phone, message: isFirst ? 'Hello' : 'Again' };
  const { data } = sent.parse((await expectOk(testApp.call({ method: 'POST', path: '/api/v1/messages/text', token, body }))).body);
  const reference = String(stub.requests.at(-1)?.body['biz_opaque_callback_data']);
  await testApp.drain();
  last = { company, wamid: data.message_wamid, reference };
  return applied({ testApp }, last);
}

const repeated = (fixture: BenchFixture): Promise<Metered[]> => {
  if (!last) throw new Error('Nothing was sent.');
  return applied(fixture, last);
};

async function applied(
  { testApp }: Pick<BenchFixture, 'testApp'>,
  { company, wamid, reference }: { company: TestCompany; wamid: string; reference: string },
): Promise<Metered[]> {
  const used: Metered[] = [];
  for (const status of ['sent', 'delivered', 'read']) {
    await expectOk(testApp.call(statusPost(company, { id: wamid, status, biz_opaque_callback_data: reference })));
    used.push(await testApp.meter(() => testApp.drain()));
  }
  return used;
}

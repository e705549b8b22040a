import * as z from 'zod';
import { statusPost } from '../../test/support/company.ts';
import { withFixture, type Scenario, expectOk } from '../scenario.ts';

const sent = z.object({ data: z.object({ message_wamid: z.string() }) });

export const scenario: Scenario = {
  name: 'send-text',
  description: 'POST /messages/text to a known contact, its three statuses, and what follows from the change stream',
  deterministic: true,
  measure: () =>
    withFixture(async ({ testApp, company, stub, token }) => {
      const send = () =>
        expectOk(
          testApp.call({ method: 'POST', path: '/api/v1/messages/text', token, body: { phone: '+4915112345678', message: 'Hello' } }),
        );
      const first = sent.parse((await send()).body).data.message_wamid;
      await testApp.drain();
      // the first delivery shows that the phone is on WhatsApp, once for all: it is not what a message costs
      const firstReference = String(stub.requests.at(-1)?.body['biz_opaque_callback_data']);
      await expectOk(testApp.call(statusPost(company, { id: first, status: 'delivered', biz_opaque_callback_data: firstReference })));
      await testApp.drain();
      testApp.clock.advance(60_000);
      let wamid = '';
      const request = await testApp.meterRounds(async () => {
        wamid = sent.parse((await send()).body).data.message_wamid;
      });
      const reference = String(stub.requests.at(-1)?.body['biz_opaque_callback_data']);
      const following = await testApp.meter(() => testApp.drain());
      const posts = ['sent', 'delivered', 'read'].map((status) =>
        statusPost(company, { id: wamid, status, biz_opaque_callback_data: reference }),
      );
      const receiver = await testApp.meter(async () => {
        for (const post of posts) await expectOk(testApp.call(post));
      });
      const statuses = await testApp.meter(() => testApp.drain());
      return [
        { name: 'request, sequential rounds', unit: 'rounds', value: request.rounds, atMost: 4 },
        { name: 'request, writes', unit: 'WRU', value: request.wru, atMost: 8 },
        { name: 'request, reads', unit: 'RRU', value: request.rru },
        { name: 'change stream of the send, writes', unit: 'WRU', value: following.wru },
        { name: 'receiver of three statuses, writes', unit: 'WRU', value: receiver.wru },
        { name: 'three statuses applied and folded, writes', unit: 'WRU', value: statuses.wru },
        {
          name: 'all writes of a send, change stream and statuses included',
          unit: 'WRU',
          value: request.wru + following.wru + statuses.wru,
          atMost: 11,
        },
      ];
    }),
};

import { afterAll, describe, expect, test } from 'vitest';
import { referenceOf } from '../../functions/messaging/domain/reference.ts';
import { inboundText, statusPost, type TestCompany } from '../support/company.ts';
import { startStage, resultOf } from './stage.ts';

/** What operations may cost, with everything that follows from them. The figures go to the log, so that a change is seen. */
const stage = await startStage();
afterAll(() => stage.stop());
const { world } = stage;
const company = await stage.company();

const known = async (phone: string): Promise<void> => {
  // before the first send: its statuses would come into what is measured later
  await stage.faults({ hold_statuses: true });
  await world.call(inboundText(company, { from: phone, text: 'Hi' }));
  await world.drain();
  await stage.send(company, phone, 'Hello');
  await world.drain();
};
const statusesOf = (target: TestCompany, result: ReturnType<typeof resultOf>) =>
  ['sent', 'delivered', 'read'].map((status) =>
    statusPost(target, {
      id: result.message_wamid ?? '',
      status,
      biz_opaque_callback_data: referenceOf(target.id, result.contact_id, result.message_id),
    }),
  );

describe('units and rounds', () => {
  test('a text to a known contact: at most 4 rounds and 8 WRU in all, at most 11 with its three statuses', async () => {
    await known('4915300000001');
    let result: ReturnType<typeof resultOf> | undefined;
    const request = await world.meter(async () => {
      result = resultOf(await stage.send(company, '4915300000001', 'How are you?'));
    });
    expect(request.rounds).toBeLessThanOrEqual(4);
    const follow = await world.meter(() => world.drain());
    expect(request.wru + follow.wru).toBeLessThanOrEqual(8);
    if (!result) throw new Error('Nothing was sent.');
    const posts = statusesOf(company, result);
    const edge = await world.meter(async () => {
      for (const post of posts) await world.call(post);
    });
    const statuses = await world.meter(() => world.drain());
    // each webhook post costs its token's count, at the receiver's edge: one a post of up to 1,000 updates
    expect(edge.wru).toBe(posts.length);
    expect(request.wru + follow.wru + statuses.wru).toBeLessThanOrEqual(11);
    show('POST /messages/text, known contact', request);
    show('  what follows', follow);
    show('  its three statuses', statuses);
  });

  test('an inbound message of a known contact: at most 4 WRU and 1 RRU beyond the queue', async () => {
    await known('4915300000002');
    await world.call(inboundText(company, { from: '4915300000002', text: 'Again' }));
    const used = await world.meter(() => world.drain());
    expect(used.wru).toBeLessThanOrEqual(4);
    expect(used.rru).toBeLessThanOrEqual(1);
    show('inbound message, known contact', used);
  });

  test('a repeated status: at most 1 WRU', async () => {
    await known('4915300000003');
    const result = resultOf(await stage.send(company, '4915300000003', 'Status'));
    const posts = statusesOf(company, result);
    for (const post of posts) await world.call(post);
    await world.drain();
    for (const post of posts) await world.call(post);
    const used = await world.meter(() => world.drain());
    expect(used.wru / posts.length).toBeLessThanOrEqual(1);
    show('three repeated statuses', used);
  });

  test('a webhook post: 1 WRU and 0.5 RRU before its 200, however many updates it has', async () => {
    const used = await world.meter(() => world.call(inboundText(company, { from: '4915300000004', text: 'Hi' })));
    expect([used.wru, used.rru, used.queueCalls]).toEqual([1, 0.5, 1]);
    await world.drain();
  });

  test('a page of 20 conversations: at most 4 rounds after the token, and no read grows with the number of messages', async () => {
    const used = await world.meter(() => world.call({ method: 'GET', path: '/api/v1/conversations', token: company.tokens.viewer }));
    expect(used.rounds).toBeLessThanOrEqual(3);
    show('GET /conversations', used);
    const { contact_id } = resultOf(await stage.send(company, '4915300000003', 'Cost'));
    const path = `/api/v1/conversations/${contact_id}/messages`;
    const messages = await world.meter(() => world.call({ method: 'GET', path, token: company.tokens.viewer }));
    expect(messages.rounds).toBeLessThanOrEqual(2);
    show('GET /conversations/{id}/messages', messages);
  });
});

function show(what: string, { wru, rru, rounds, calls }: { wru: number; rru: number; rounds: number; calls: number }): void {
  console.log(`${what}: ${wru} WRU, ${rru} RRU, ${rounds} rounds, ${calls} calls`);
}

import { afterAll, beforeAll, expect } from 'vitest';
import { attack } from '../support/attack.ts';
import { inboundText } from '../support/company.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { startFixture, type WebhookFixture } from '../webhooks/fixture.ts';

/** Bodies of outgoing webhooks lie in the table for 30 days. */
let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

attack(
  'a reader of the table reads no message in the bodies of webhooks',
  [{ in: 'functions/webhooks/service/create-deliveries.ts', replace: 'isWhole && data !== message.data', by: 'false as boolean' }],
  async () => {
    await using receiver = await startReceiver();
    const company = await fixture.company();
    await company.subscribe(receiver.url, ['message.received']);
    const text = 'My card ends in 4242';
    await fixture.testApp.call(inboundText(company, { from: '4915112345678', text }));
    await fixture.testApp.drain();
    expect(receiver.received.map(({ body }) => JSON.stringify(body))).toEqual([expect.stringContaining(text)]);
    const stored = (await fixture.testApp.dump()).filter(({ event }) => event === 'message.received');
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(text);
  },
);

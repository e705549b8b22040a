import * as z from 'zod';
import { formatReference } from '../../functions/messaging/contract/reference.ts';
import { providerStatusesQueue, providerUpdatesQueue } from '../../functions/messaging/contract/queue.ts';
import { send } from '../../shared/queue/send.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { createTask } from '../../functions/crm/service/tasks.ts';
import { unwrap, inboundText, providerEnvelope, providerPost, type TestCompany } from '../support/company.ts';
import type { Scenario } from './scenarios.ts';
import { sendable } from './examples.ts';
import { newLead } from './examples-crm.ts';
import { newPhone } from './phones.ts';
import { companyAtItsLimit } from './full-plan.ts';
import type { ContractFixture } from './fixture.ts';

/** Messages, their statuses and what the provider reports of customers; and where a lead's task leads. */

let ids = 0;
const newWamid = (): string => `wamid.scenario-${++ids}`;
const digits = (phone: string): string => phone.replace('+', '');
const secondsNow = (): string => String(Math.floor(Date.now() / 1_000));

/** What the provider posts of the company's number: a good request of `receiveWebhook`. */
const posted = ({ company, signed }: ContractFixture, value: Record<string, unknown>) => ({
  params: { webhook_token: company.webhookToken },
  raw: signed(providerEnvelope(company, value)),
});

/** What the business wrote from its phone, as the provider echoes it. */
const echoOf = (company: TestCompany, message: Record<string, unknown>): unknown => ({
  object: 'whatsapp_business_account',
  entry: [
    { id: company.number.wabaId, changes: [{ field: 'smb_message_echoes', value: { message_echoes: [{ type: 'text', ...message }] } }] },
  ],
});

/**
 * The status waits, by the change stream's word and the dispatcher's; is tried too early, and waits again; then the message comes, by an
 * echo, and the next try finds it.
 */
const earlyStatus = (): Scenario => {
  let message: Record<string, unknown> = {};
  return {
    route: 'receiveWebhook',
    title: 'of a status whose message is not known yet',
    example: (fixture) => {
      // beyond what the dispatcher placed before
      fixture.testApp.clock.advance(200_000);
      const to = digits(newPhone());
      message = { id: newWamid(), from: fixture.company.number.phone, to, timestamp: secondsNow(), text: { body: 'From my phone' } };
      return posted(fixture, { statuses: [{ id: message['id'], status: 'delivered', recipient_id: to, timestamp: secondsNow() }] });
    },
    next: async ({ testApp, company }) => {
      await testApp.drain({ retry: false });
      testApp.clock.advance(6_000);
      await testApp.tick('every-minute');
      await testApp.drain({ retry: false });
      await testApp.call(providerPost(company, echoOf(company, message)));
      await testApp.drain({ retry: false });
      testApp.clock.advance(31_000);
    },
  };
};

/** A customer writes, and later the provider reports that they have another phone. */
const movedContact = async (fixture: ContractFixture) => {
  const [from, to] = [digits(newPhone()), digits(newPhone())];
  await fixture.testApp.call(inboundText(fixture.company, { from, text: 'Hello' }));
  await fixture.testApp.drain();
  const system = { type: 'user_changed_number', body: 'They have another number.', wa_id: to };
  return posted(fixture, { messages: [{ id: newWamid(), from, timestamp: secondsNow(), type: 'system', system }] });
};

let userIds = 0;
const newUserId = (): string => `US.33${String(++userIds).padStart(8, '0')}`;

/** A customer who wrote with a user id. */
const withUserId = async ({ testApp, company }: ContractFixture): Promise<{ phone: string; userId: string }> => {
  const [phone, userId] = [digits(newPhone()), newUserId()];
  const text = { id: newWamid(), from: phone, from_user_id: userId, timestamp: secondsNow(), type: 'text', text: { body: 'Hello' } };
  await testApp.call(providerPost(company, providerEnvelope(company, { messages: [text] })));
  await testApp.drain();
  return { phone, userId };
};

/** Later the provider gives the customer another user id. */
const changedUserId = async (fixture: ContractFixture) => {
  const { phone, userId } = await withUserId(fixture);
  const change = { wa_id: phone, user_id: { previous: userId, current: newUserId() } };
  const entry = [{ id: fixture.company.number.wabaId, changes: [{ field: 'user_id_update', value: { user_id_update: [change] } }] }];
  return { params: { webhook_token: fixture.company.webhookToken }, raw: fixture.signed({ object: 'whatsapp_business_account', entry }) };
};

/** A status says it first. */
const statusWithAnotherUserId = async (fixture: ContractFixture) => {
  const { phone } = await withUserId(fixture);
  const body = { phone: `+${phone}`, message: 'An offer' };
  const sent = await fixture.testApp.call({ method: 'POST', path: '/api/v1/messages/text', token: fixture.company.tokens.owner, body });
  const { message_wamid: id } = sentText.parse(sent.body).data;
  return posted(fixture, {
    statuses: [{ id, status: 'delivered', recipient_id: phone, recipient_user_id: newUserId(), timestamp: secondsNow() }],
  });
};

/** As an operator puts them back: one of the statuses' own queue, and one among other updates. */
async function lateStatuses({ testApp, company }: ContractFixture): Promise<void> {
  const received_at = testApp.clock.now() - 8 * dayMs;
  const status = { id: 'wamid.of-no-message', status: 'delivered', recipient_id: '4915112000000', timestamp: secondsNow() } as const;
  await send(providerStatusesQueue, [{ companyId: company.id, message: { company_id: company.id, received_at, status } }]);
  const message = { company_id: company.id, received_at, update: { kind: 'status', status } } as const;
  await send(providerUpdatesQueue, [{ companyId: company.id, message }]);
  await testApp.drain({ retry: false });
}

/** Statuses of two messages that were sent come together, in the queue of the other updates: as a process of the release before passed them. */
const statusesAmongUpdates = (): Scenario => {
  let sent: z.output<typeof sentText>['data'][] = [];
  return {
    route: 'receiveWebhook',
    title: 'while statuses of two messages that were sent come among other updates',
    example: async (fixture) => {
      const { testApp, company } = fixture;
      const offer = () =>
        testApp.call({
          method: 'POST',
          path: '/api/v1/messages/text',
          token: company.tokens.owner,
          body: { phone: newPhone(), message: 'An offer' },
        });
      sent = [await offer(), await offer()].map(({ body }) => sentText.parse(body).data);
      return posted(fixture, { statuses: [] });
    },
    next: async ({ testApp, company }) => {
      const messages = sent.map(({ message_id, contact_id, message_wamid: id }) => ({
        companyId: company.id,
        message: {
          company_id: company.id,
          received_at: testApp.clock.now(),
          update: {
            kind: 'status' as const,
            status: {
              id,
              status: 'delivered' as const,
              recipient_id: '4915112000000',
              timestamp: secondsNow(),
              biz_opaque_callback_data: formatReference(company.id, contact_id, message_id),
            },
          },
        },
      }));
      await send(providerUpdatesQueue, messages);
    },
  };
};
const sentText = z.object({ data: z.object({ message_id: z.int(), contact_id: z.int(), message_wamid: z.string() }) });

/** 900,000 bytes and more of four-byte characters, so that it is kept in few parts. */
const oversized = (fixture: ContractFixture) => posted(fixture, { history: [{ id: newWamid(), words: '\u{1F642}'.repeat(230_000) }] });

export const uploadedFile = async ({ testApp, company }: ContractFixture): Promise<string> => {
  const body = { filename: 'a.pdf', content_type: 'application/pdf', size: pdf.length };
  const answer = await testApp.call({ method: 'POST', path: '/api/v1/media/uploads', token: company.tokens.owner, body });
  const { media_id, upload_url, headers } = announced.parse(answer.body).data;
  await fetch(upload_url, { method: 'PUT', headers, body: pdf });
  return media_id;
};
const pdf = '%PDF-1.7 a file';
const announced = z.object({
  data: z.object({ media_id: z.string(), upload_url: z.string(), headers: z.record(z.string(), z.string()) }),
});

/**
 * Another title of the task that is not the lead's next: it changes alone, as long as the lead is as it was seen.
 */
const laterTask = async (fixture: ContractFixture) => {
  const { company } = fixture;
  const leadId = await newLead(fixture);
  const task = async (day: number): Promise<number> => {
    const made = unwrap(await createTask(company.id, company.users.owner, leadId, { title: 'Call', due_at: Date.UTC(2027, 2, day) }));
    return made.id;
  };
  await task(1);
  return { params: { id: leadId, task_id: await task(2) }, body: { version: 1, title: 'Write to them' } };
};

export const messagingScenarios: readonly Scenario[] = [
  earlyStatus(),
  { route: 'receiveWebhook', title: 'of a person who has another phone', example: movedContact },
  { route: 'receiveWebhook', title: 'of a person who has another user id', example: changedUserId },
  { route: 'receiveWebhook', title: 'of a status that names another user id', example: statusWithAnotherUserId },
  {
    route: 'receiveWebhook',
    title: 'while statuses come from the dead letters a week late, whose message is not known',
    example: (fixture) => posted(fixture, { statuses: [] }),
    next: lateStatuses,
  },
  statusesAmongUpdates(),
  { route: 'receiveWebhook', title: 'of an update that no queue takes', example: oversized },
  {
    route: 'sendText',
    title: 'to a new person, into room that a dead process holds',
    example: async (fixture) => ({ token: (await companyAtItsLimit(fixture)).tokens.owner, body: { phone: newPhone(), message: 'Hello' } }),
  },
  {
    route: 'sendTemplate',
    title: 'to a new person, into room that a dead process holds',
    example: async (fixture) => {
      const company = await companyAtItsLimit(fixture);
      return {
        token: company.tokens.owner,
        body: { phone: newPhone(), template_name: await sendable({ company }), template_language: 'en_US' },
      };
    },
  },
  {
    route: 'sendText',
    title: 'with a file that was uploaded',
    example: async (fixture) => ({ body: { phone: newPhone(), media_id: await uploadedFile(fixture) } }),
  },
  { route: 'updateTask', title: 'of the title only, when another one is next', example: laterTask },
];

import { type MockInstance, vi } from 'vitest';
import * as z from 'zod';
import { createTask } from '../../functions/crm/service/tasks.ts';
import { getTemplateByName, deleteTemplateRow } from '../../functions/templates/store/template.ts';
import { unwrap, inboundText, providerEnvelope, providerPost, type TestCompany } from '../support/company.ts';
import type { Scenario } from './scenarios.ts';
import { sendable, templateId } from './examples.ts';
import { newLead } from './examples-crm.ts';
import { newPhone } from './phones.ts';
import { companyAtItsLimit } from './full-plan.ts';
import type { ContractFixture } from './fixture.ts';

/** Messages, their statuses and what the provider reports of customers; and where a lead's task leads. */

let ids = 0;
const newWamid = (): string => `wamid.errand-${++ids}`;
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
    example: (stage) => {
      // beyond what the dispatcher placed before
      stage.testApp.clock.advance(200_000);
      const to = digits(newPhone());
      message = { id: newWamid(), from: stage.company.number.phone, to, timestamp: secondsNow(), text: { body: 'From my phone' } };
      return posted(stage, { statuses: [{ id: message['id'], status: 'delivered', recipient_id: to, timestamp: secondsNow() }] });
    },
    next: async ({ testApp: world, company }) => {
      await world.drain({ retry: false });
      world.clock.advance(6_000);
      await world.tick('every-minute');
      await world.drain({ retry: false });
      await world.call(providerPost(company, echoOf(company, message)));
      await world.drain({ retry: false });
      world.clock.advance(31_000);
    },
  };
};

/** A customer writes, and later the provider reports that they have another phone. */
const movedContact = async (stage: ContractFixture) => {
  const [from, to] = [digits(newPhone()), digits(newPhone())];
  await stage.testApp.call(inboundText(stage.company, { from, text: 'Hello' }));
  await stage.testApp.drain();
  const system = { type: 'user_changed_number', body: 'They have another number.', wa_id: to };
  return posted(stage, { messages: [{ id: newWamid(), from, timestamp: secondsNow(), type: 'system', system }] });
};

/** 900,000 bytes and more of four-byte characters, so that it is kept in few parts. */
const oversized = (stage: ContractFixture) => posted(stage, { history: [{ id: newWamid(), words: '\u{1F642}'.repeat(230_000) }] });

const uploadedFile = async ({ testApp: world, company }: ContractFixture): Promise<string> => {
  const body = { filename: 'a.pdf', content_type: 'application/pdf', size: pdf.length };
  const answer = await world.call({ method: 'POST', path: '/api/v1/media/uploads', token: company.tokens.owner, body });
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
const laterTask = async (stage: ContractFixture) => {
  const { company } = stage;
  const leadId = await newLead(stage);
  const task = async (day: number): Promise<number> => {
    const made = unwrap(await createTask(company.id, company.users.owner, leadId, { title: 'Call', due_at: Date.UTC(2027, 2, day) }));
    return made.id;
  };
  await task(1);
  return { params: { id: leadId, task_id: await task(2) }, body: { version: 1, title: 'Write to them' } };
};

/** Time runs away from who reads the account, until the caller was answered. */
const longSync = (): Scenario => {
  const real = performance.now.bind(performance);
  let passedMs = 0;
  let clock: MockInstance<() => number> | undefined;
  return {
    route: 'syncTemplates',
    title: 'of an account that takes longer than a caller can wait',
    example: async (stage) => {
      const row = await getTemplateByName(stage.company.id, 'hello_world', 'en_US');
      if (row) await deleteTemplateRow(row, undefined);
      await templateId(stage);
      clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + passedMs);
      stage.provider.answering(({ method, path }) => {
        if (method !== 'GET' || !path.includes('/message_templates')) return undefined;
        passedMs += 20_000;
        return { status: 200, body: { data: [], paging: { cursors: { after: `page-${passedMs}` }, next: 'https://provider.test/next' } } };
      });
      return {};
    },
    next: async ({ provider }) => {
      provider.answering(undefined);
      clock?.mockRestore();
    },
  };
};

export const messagingScenarios: readonly Scenario[] = [
  earlyStatus(),
  { route: 'receiveWebhook', title: 'of a person who has another phone', example: movedContact },
  { route: 'receiveWebhook', title: 'of an update that no queue takes', example: oversized },
  {
    route: 'sendText',
    title: 'to a new person, into room that a dead process holds',
    example: async (stage) => ({ token: (await companyAtItsLimit(stage)).tokens.owner, body: { phone: newPhone(), message: 'Hello' } }),
  },
  {
    route: 'sendTemplate',
    title: 'to a new person, into room that a dead process holds',
    example: async (stage) => {
      const company = await companyAtItsLimit(stage);
      return {
        token: company.tokens.owner,
        body: { phone: newPhone(), template_name: await sendable({ company }), template_language: 'en_US' },
      };
    },
  },
  {
    route: 'sendText',
    title: 'with a file that was uploaded',
    example: async (stage) => ({ body: { phone: newPhone(), media_id: await uploadedFile(stage) } }),
  },
  longSync(),
  { route: 'updateTask', title: 'of the title only, when another one is next', example: laterTask },
];

import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { listMachineCredentials, revokeMachineCredential } from '../../functions/account/service/machine-tokens.ts';
import { addProviderApp } from '../../functions/account/service/provider-apps.ts';
import { connectAtProvider } from '../../functions/messaging/service/connect-number.ts';
import { webhookFields } from '../../functions/messaging/domain/webhook-fields.ts';
import { getAccountCheck, putAccountCheck } from '../../functions/templates/store/account-check.ts';
import { followsOverrides } from '../../lib/local/provider/fields.ts';
import type { CampaignFixture } from '../campaigns/fixture.ts';
import { providerEnvelope, type TestCompany, unwrap } from '../support/company.ts';
import { type Random, seeded, shuffled } from '../support/random.ts';

/**
 * Runs made by a seed in which the one app of two companies posts each of its fields for each of them: mixed in posts, doubled, late, before and after
 * one of them connects again and both revoke what they had before. Where a field goes, the number at the simulator says, as the provider would.
 */
export interface Violation {
  seed: number;
  what: string;
}

/** What a field brings for a company, and how it is seen there; another value for each company. */
interface FieldCase {
  value: (to: Member) => object;
  seen: (at: Seen) => unknown;
  expected: (to: Member) => unknown;
}

interface Member {
  company: TestCompany;
  /** 0 or 1: what a value is made of. */
  nth: number;
  seed: number;
  templates: readonly Template[];
  /** When it all happened at the provider: epoch seconds. */
  at: number;
}

const template = z.looseObject({
  provider_template_id: z.string().nullable(),
  name: z.string(),
  status: z.string(),
  category: z.string(),
  quality_score: z.string().nullable(),
  components: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
});
type Template = z.output<typeof template>;
const number = z.looseObject({
  quality: z.string(),
  messaging_limit: z.string().nullable(),
  account_review: z.string().nullable(),
  name_status: z.string().nullable(),
  restrictions: z.array(z.looseObject({ type: z.string() })),
});

/** What a company shows of all that it received. */
interface Seen {
  number: z.output<typeof number>;
  templates: readonly Template[];
  /** The provider's ids of all messages. */
  wamids: readonly string[];
  /** The phones of contacts that stopped marketing. */
  stopped: readonly string[];
}

/** In the phones and the messages of a seed. */
const digitsOf = (seed: number): string => `9${String(seed).padStart(4, '0')}9`;
const phoneOf = ({ company, seed }: Member, kind: number): string => `4915${String(company.id).padStart(3, '0')}${digitsOf(seed)}${kind}`;
const wamidOf = ({ company, seed }: Member, kind: string): string => `wamid.app-${company.id}-${digitsOf(seed)}-${kind}`;
const either = (first: string, second: string) => (to: Member) => ((to.nth + to.seed) % 2 === 0 ? first : second);
const aboutTemplate = (name: string, more: (to: Member) => object) => (to: Member) => ({
  message_template_id: to.templates.find((each) => each.name === name)?.provider_template_id,
  message_template_name: name,
  message_template_language: 'en',
  ...more(to),
});
const shownTemplate = (name: string, part: (found: Template | undefined) => unknown) => (at: Seen) =>
  part(at.templates.find((each) => each.name === name));
const withMessage = (kind: string) => ({
  seen: ({ wamids }: Seen) => wamids.filter((wamid) => wamid.endsWith(`-${kind}`)),
  expected: (to: Member) => [wamidOf(to, kind)],
});
const aboutNumber = (to: Member, lists: Record<string, unknown>): object =>
  (providerEnvelope(to.company, lists) as { entry: { changes: { value: object }[] }[] }).entry[0]?.changes[0]?.value ?? {};

const [review, nameStatus, quality, status] = [
  either('REJECTED', 'VERIFIED'),
  either('DECLINED', 'APPROVED'),
  either('FLAGGED', 'UNFLAGGED'),
  either('PAUSED', 'DISABLED'),
];
const score = either('RED', 'YELLOW');
const category = either('MARKETING', 'UTILITY');
const restriction = either('RESTRICTED_ADD_PHONE_NUMBER_ACTION', 'RESTRICTED_TEMPLATE_CREATION');
const limit = either('250', '1000');
const text = (to: Member): string => `Come here, ${to.company.id} of ${to.seed}.`;

const cases: Readonly<Record<(typeof webhookFields)[number], FieldCase>> = {
  messages: {
    value: (to) =>
      aboutNumber(to, {
        messages: [{ id: wamidOf(to, 'text'), from: phoneOf(to, 1), timestamp: String(to.at), type: 'text', text: { body: 'Hello' } }],
      }),
    ...withMessage('text'),
  },
  calls: {
    value: (to) =>
      aboutNumber(to, {
        calls: [
          {
            id: wamidOf(to, 'call'),
            from: phoneOf(to, 1),
            timestamp: String(to.at),
            event: 'terminate',
            direction: 'USER_INITIATED',
            duration: 9,
          },
        ],
      }),
    ...withMessage('call'),
  },
  smb_message_echoes: {
    value: (to) =>
      aboutNumber(to, {
        message_echoes: [
          { id: wamidOf(to, 'echo'), to: phoneOf(to, 1), timestamp: String(to.at), type: 'text', text: { body: 'From the phone' } },
        ],
      }),
    ...withMessage('echo'),
  },
  user_preferences: {
    value: (to) =>
      aboutNumber(to, {
        contacts: [{ wa_id: phoneOf(to, 2) }],
        user_preferences: [{ wa_id: phoneOf(to, 2), category: 'marketing_messages', value: 'stop', timestamp: to.at }],
      }),
    seen: ({ stopped }) => stopped,
    expected: (to) => [phoneOf(to, 2)],
  },
  account_review_update: {
    value: (to) => ({ decision: review(to) }),
    seen: (at) => at.number.account_review,
    expected: review,
  },
  account_update: {
    value: (to) => ({ event: 'ACCOUNT_RESTRICTION', restriction_info: [{ restriction_type: restriction(to) }] }),
    seen: (at) => at.number.restrictions.map(({ type }) => type),
    expected: (to) => [restriction(to)],
  },
  business_capability_update: {
    value: (to) => ({ max_daily_conversations_per_business: Number(limit(to)) }),
    seen: (at) => at.number.messaging_limit,
    expected: limit,
  },
  phone_number_quality_update: {
    value: (to) => ({ display_phone_number: to.company.number.phone, event: quality(to) }),
    seen: (at) => at.number.quality,
    expected: (to) => (quality(to) === 'FLAGGED' ? 'RED' : 'GREEN'),
  },
  phone_number_name_update: {
    value: (to) => ({ display_phone_number: to.company.number.phone, decision: nameStatus(to), requested_verified_name: 'Cedar' }),
    seen: (at) => at.number.name_status,
    expected: nameStatus,
  },
  message_template_status_update: {
    value: aboutTemplate('order', (to) => ({ event: status(to), reason: 'NONE' })),
    seen: shownTemplate('order', (found) => found?.status),
    expected: status,
  },
  message_template_quality_update: {
    value: aboutTemplate('plain', (to) => ({ previous_quality_score: 'GREEN', new_quality_score: score(to) })),
    seen: shownTemplate('plain', (found) => found?.quality_score),
    expected: score,
  },
  template_category_update: {
    value: aboutTemplate('picture', (to) => ({ previous_category: 'UTILITY', new_category: category(to) })),
    seen: shownTemplate('picture', (found) => found?.category),
    expected: category,
  },
  message_template_components_update: {
    value: aboutTemplate('place', (to) => ({ message_template_element: text(to) })),
    seen: shownTemplate('place', (found) => found?.components.find(({ type }) => type === 'BODY')?.text),
    expected: text,
  },
};

/** Two companies of a new app, each connected to it. */
export const startSharedApp = async (fixture: CampaignFixture) => {
  const appId = String(70_000_000 + ++apps);
  const secret = `the secret of the app ${appId}`;
  unwrap(await addProviderApp({ app_id: appId, app_secret: secret, name: 'Ours' }));
  const both = [
    await fixture.campaigner(1_000, { appId, appSecret: secret }),
    await fixture.campaigner(1_000, { appId, appSecret: secret }),
  ];
  const connect = async ({ id }: TestCompany): Promise<void> => {
    const connected = unwrap(await connectAtProvider(id, 1, { webhookUrl: fixture.webhookUrl }));
    if ('refused' in connected) throw new Error(connected.refused.message);
  };
  // what a check of the day reads at the provider would take the place of what its posts brought
  const dueAt = fixture.testApp.clock.now() + 3_650 * 86_400_000;
  for (const { id } of both) await putAccountCheck({ companyId: id, dueAt }, await getAccountCheck(id));
  for (const company of both) await connect(company);
  return { secret, both, connect };
};
export type SharedAppInUse = Awaited<ReturnType<typeof startSharedApp>>;
let apps = 0;

export const sharedAppRun = async (
  fixture: CampaignFixture,
  { secret, both, connect }: SharedAppInUse,
  seed: number,
): Promise<Violation[]> => {
  const random = seeded(seed);
  // after the templates were read, which would be newer otherwise
  fixture.testApp.clock.advance(2_000);
  const at = Math.floor(fixture.testApp.clock.now() / 1_000);
  const members = await Promise.all(
    both.map(async (company, nth): Promise<Member> => ({ company, nth, seed, at, templates: await templatesOf(fixture, company) })),
  );
  const updates = webhookFields.flatMap((field) => members.map((to) => ({ field, to })));
  // some of them again, as the provider does where an answer was slow
  const again = updates.filter(() => random() < 0.5);
  const order = shuffled([...updates, ...again], random);
  const turn = Math.floor(random() * order.length);
  let posted = 0;
  while (posted < order.length) {
    const before = posted;
    const part = order.slice(posted, (posted += 1 + Math.floor(random() * 5)));
    await post(fixture, { parts: part, secret, random });
    if (random() < 0.3) await fixture.testApp.drain({ disorder: { seed: seed * 100 + posted, duplicate: 0.3, reorder: true } });
    if (random() < 0.2) fixture.testApp.clock.advance(Math.floor(random() * 3_600_000));
    if (before <= turn && turn < posted) await reconnect(members, connect, random);
  }
  await fixture.testApp.drain({ disorder: { seed, duplicate: 0.3, reorder: true } });
  // days later, what was posted before
  fixture.testApp.clock.advance(3 * 86_400_000);
  await post(fixture, { parts: shuffled(updates, random).slice(0, 6), secret, random });
  await fixture.testApp.drain();
  return await findViolations(fixture, seed, members);
};

async function reconnect(members: readonly Member[], connect: (company: TestCompany) => Promise<void>, random: Random): Promise<void> {
  for (const { company } of shuffled(members, random)) {
    if (random() < 0.7) await connect(company);
    for (const { id } of unwrap(await listMachineCredentials(company.id, 'webhook_token')))
      await revokeMachineCredential(company.id, 'webhook_token', Number(id));
  }
}

const registered = z.array(
  z.looseObject({
    phone_number_id: z.string(),
    webhook_url: z.string(),
    override_url: z.string().optional(),
    phone_override_url: z.string().optional(),
  }),
);

/** Posts what is for one URL at once, with the entries of both companies in one body. */
async function post(
  fixture: CampaignFixture,
  { parts, secret, random }: { parts: readonly { field: (typeof webhookFields)[number]; to: Member }[]; secret: string; random: Random },
): Promise<void> {
  const numbers = registered.parse(await fixture.control('GET', 'numbers'));
  const urlOf = (field: string, { company }: Member): string => {
    const own = numbers.find((each) => each.phone_number_id === company.number.phoneNumberId);
    const override = followsOverrides(field) ? (own?.phone_override_url ?? own?.override_url) : undefined;
    return new URL(override ?? own?.webhook_url ?? '').pathname;
  };
  for (const [path, together] of Map.groupBy(parts, ({ field, to }) => urlOf(field, to))) {
    const changes = together.map(({ field, to }) => ({
      account: to.company.number.wabaId,
      change: { field, value: cases[field].value(to) },
    }));
    // of one account in one entry, or each in one of its own
    const accounts = random() < 0.5 ? [...Map.groupBy(changes, ({ account }) => account).values()] : changes.map((each) => [each]);
    const entry = accounts.map((list) => ({ id: list[0]?.account, time: together[0]?.to.at, changes: list.map(({ change }) => change) }));
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    const answer = await fixture.testApp.call({ method: 'POST', path, body, headers });
    if (answer.status !== 200) throw new Error(`The receiver answered ${answer.status}: ${answer.raw}`);
  }
}

const list = async (fixture: CampaignFixture, company: TestCompany, path: string): Promise<unknown[]> => {
  const answer = await fixture.testApp.call({ method: 'GET', path: `/api/v1${path}`, token: company.tokens.owner });
  if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${answer.raw}`);
  return z.object({ data: z.array(z.unknown()) }).parse(answer.body).data;
};
const templatesOf = async (fixture: CampaignFixture, company: TestCompany): Promise<Template[]> =>
  z.array(template).parse(await list(fixture, company, '/templates?status=all'));

async function findViolations(fixture: CampaignFixture, seed: number, members: readonly Member[]): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const to of members) {
    const { company, nth } = to;
    const blame = (what: string): void => void found.push({ seed, what: `company ${nth}: ${what}` });
    const isOfSeed = (text: unknown): boolean => String(text).includes(digitsOf(seed));
    const contacts = (await fixture.testApp.dump({ kind: 'contact', c: company.id })).filter(({ p }) => isOfSeed(p));
    const seen: Seen = {
      number: number.parse((await list(fixture, company, '/numbers'))[0]),
      templates: await templatesOf(fixture, company),
      wamids: (await fixture.messages(company.id)).map(({ wamid }) => String(wamid)).filter(isOfSeed),
      stopped: contacts.filter(({ mb }) => mb === true).map(({ p }) => String(p)),
    };
    for (const field of webhookFields) {
      const [is, expected] = [JSON.stringify(cases[field].seen(seen)), JSON.stringify(cases[field].expected(to))];
      if (is !== expected) blame(`${field} shows ${is}, not ${expected}`);
    }
    const phones = contacts.map(({ p }) => String(p)).toSorted();
    const expected = [phoneOf(to, 1), phoneOf(to, 2)];
    if (phones.join() !== expected.join()) blame(`the contacts are ${phones.join()}, not ${expected.join()}`);
    if (seen.wamids.length !== 3) blame(`it has ${seen.wamids.length} messages of 3`);
  }
  for (const id of [0, ...members.map(({ company }) => company.id)]) {
    const aside = (await fixture.items(id, 'archived-update')).filter(({ field }) => field === 'foreign');
    if (aside.length > 0) found.push({ seed, what: `${aside.length} posts are set aside of company ${id}` });
  }
  return found;
}

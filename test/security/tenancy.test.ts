import { addNumber } from '../../functions/account/service/numbers.ts';
import { createProfile } from '../../functions/account/service/verification-profiles.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { unwrap } from '../support/company.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import { examples } from '../contract/examples.ts';
import { allRoutes, bodyWithoutRequest, codeOf, type ContractFixture, type NamedRoute, startFixture } from '../contract/fixture.ts';
import { fieldsOf, isListOfValues, placed } from './fields.ts';
import { foreignFixture } from './foreign.ts';

/**
 * Another company's ids, in every place of every route that takes an id: path, query and body, read from the schemas. The answer is the one
 * for an id that no one has, nothing is written with it, and no call to the table so much as names the other company's keys.
 */
let fixture: ContractFixture;
let foreign: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
  foreign = await foreignFixture(fixture);
});
afterAll(() => fixture[Symbol.asyncDispose]());

type Id = string | number;
const pathIdOf =
  (route: string, parameter = 'id') =>
  async (): Promise<Id> =>
    (await examples[route]?.(foreign))?.params?.[parameter] ?? 0;
const stageOfPipeline = async (): Promise<Id> => {
  const answer = await foreign.testApp.call({ method: 'GET', path: '/api/v1/crm/pipelines', token: foreign.company.tokens.owner });
  return z
    .object({ data: z.array(z.object({ stages: z.array(z.object({ id: z.int() })) })) })
    .parse(answer.body)
    .data.at(-1)?.stages[0]?.id as number;
};
let numbers = 0;
const bodyIdOf = (route: string, field: string) => async (): Promise<Id> => (await examples[route]?.(foreign))?.body?.[field] as Id;
const user = (): Promise<Id> => Promise.resolve(foreign.company.users.owner);
const uploadId = async (): Promise<Id> => {
  const body = { filename: 'a.pdf', content_type: 'application/pdf', size: 1_000 };
  const answer = await foreign.testApp.call({
    method: 'POST',
    path: '/api/v1/media/uploads',
    token: foreign.company.tokens.owner,
    body,
  });
  return z.object({ data: z.object({ media_id: z.string() }) }).parse(answer.body).data.media_id;
};

/** A record of the other company for every field, of a query or a body, that names one. */
const records: Readonly<Record<string, () => Promise<Id>>> = {
  company_id: () => Promise.resolve(foreign.company.id),
  webhook_id: pathIdOf('getWebhook'),
  event_id: pathIdOf('resendDelivery', 'delivery_id'),
  contact_id: pathIdOf('getContact'),
  contact_ids: pathIdOf('getContact'),
  ids: pathIdOf('getConversation'), // of a bulk change of conversations
  add_groups: pathIdOf('updateGroup'),
  remove_groups: pathIdOf('updateGroup'),
  add_tags: pathIdOf('updateTag'),
  remove_tags: pathIdOf('updateTag'),
  number_id: async () => {
    const added = await addNumber(foreign.company.id, {
      phone: '4930990001',
      phone_number_id: String(300_000_000 + ++numbers),
      waba_id: '1',
      access_token: 'theirs',
    });
    return unwrap(added).number.id;
  },
  group_id: pathIdOf('updateGroup'),
  tag_id: pathIdOf('updateTag'),
  segment_id: pathIdOf('updateSegment'),
  groups: pathIdOf('updateGroup'),
  tags: pathIdOf('updateTag'),
  template_id: pathIdOf('getTemplate'),
  task_reminder_template_id: pathIdOf('getTemplate'),
  campaign_id: pathIdOf('getCampaign'),
  campaing_id: pathIdOf('getCampaign'),
  media_id: uploadId,
  conversation_id: pathIdOf('getConversation'),
  message_id: pathIdOf('cancelMessage'),
  context_message_id: pathIdOf('cancelMessage'),
  assigned_to: user,
  user_id: user,
  credential_id: pathIdOf('revokeToken'),
  owner_id: user,
  assignee_id: user,
  lead_id: pathIdOf('updateLead'),
  pipeline_id: bodyIdOf('createLead', 'pipeline_id'),
  stage_id: stageOfPipeline,
  category_id: pathIdOf('getCategory'),
  shop_category_id: pathIdOf('getCategory'),
  product_id: pathIdOf('getProduct'),
  profile_id: async () => unwrap(await createProfile(foreign.company.id, { name: 'Theirs' })).id,
  app_id: pathIdOf('getApp', 'app_id'),
  request_id: pathIdOf('getVerificationStatus', 'request_id'),
};

/** Of fields that are called nothing but `id`. */
const nested: Readonly<Record<string, () => Promise<Id>>> = { 'stages.0.id': stageOfPipeline };
const nameOf = (way: Place['way']): string => String(way.findLast((step) => step !== 0));
const recordOf = ({ way }: Place): (() => Promise<Id>) | undefined => nested[way.join('.')] ?? records[nameOf(way)];

/** Ids that are no one's: the caller's own words, or the test app's. */
const ownWords = new Set([
  'country_id', // a list that is the same for all
  'before_id', // a place in a list, which any number names
  'external_id', // the id in the caller's own system
  'phone_number_id', // the ids that the provider gave the caller
  'waba_id',
  'buttons.0.id', // what a button answers with
  'credential.id', // of a passkey, which the device chose
  'action.sections.0.rows.0.id',
  'items.0.id', // the line of an order, in the shop's words
  'contacts.0.phones.0.wa_id', // of a card, in the words of its sender
  'interactive.flow_id', // ids at the provider, which looks them up under the caller's own account
  'interactive.catalog_id',
  'interactive.product_id',
  'interactive.thumbnail_product_id',
  'interactive.sections.0.product_ids.0',
  'products.thumbnail_product_id', // of a campaign: the same
  'products.sections.0.product_ids.0',
  'interactive.saved_addresses.0.id', // what the reply carries
  'interactive.cards.0.buttons.0.id',
]);

/** A link of another profile is a closed page, a key of another profile is refused as such (3§5, 3§7); all else is 404 or 422. */
const refusals = [403, 404, 410, 422];

/** Fields that are left out beside another, since a call that gives both is refused whatever they name: its right name, or another audience. */
const inPlaceOf: Readonly<Record<string, readonly string[]>> = {
  campaing_id: ['campaign_id'],
  segment_id: ['contact_id', 'contact_ids'],
  group_id: ['contact_id'],
  tag_id: ['contact_id'],
};

/**
 * Lists of ids that a job takes as given and its worker looks up under the company's own keys, and removals, which leave what is not there as
 * it is: the answer is a success, for ids of another company and of no one alike.
 */
const takenAsGiven = new Set([
  'updateContact remove_groups.0',
  'updateContact remove_tags.0',
  'createContactJob contact_ids.0',
  'createContactJob change.remove_groups.0',
  'createContactJob change.remove_tags.0',
  'bulkUpdateConversations ids.0',
  'retryCampaign contact_ids.0',
]);

interface Place {
  where: 'path' | 'query' | 'body';
  way: (string | 0)[];
  named: NamedRoute;
}

/** Public pages name the company in their address: that one is meant to be anybody's. */
const isId = (name: string | 0 | undefined): boolean => typeof name === 'string' && (/(^|_)ids?$/.test(name) || name in records);
const places = allRoutes.flatMap((named): Place[] => {
  const { params, query, body } = named.route;
  const found = (where: Place['where'], schema: z.ZodType | undefined): Place[] =>
    fieldsOf(schema)
      .filter((way) => isId(way.at(-1)) && !(where === 'path' && way[0] === 'company_id'))
      .map((way) => ({ where, way: where === 'body' && isListOfValues(schema, way) ? [...way, 0 as const] : way, named }));
  return [...found('path', params), ...found('query', query), ...found('body', body)];
});
const wordOf = ({ way }: Place): string => (way.at(-1) === 'external_id' ? 'external_id' : way.join('.'));
const foreignPlaces = places.filter((place) => place.where === 'path' || !ownWords.has(wordOf(place)));

test('every field that looks like an id is the id of a record, or known to be the caller’s own word', () => {
  const unknown = foreignPlaces.filter((place) => place.where !== 'path' && !recordOf(place));
  expect(unknown.map(({ named, way }) => `${named.name}: ${way.join('.')}`)).toEqual([]);
});

describe.each(foreignPlaces.map((place) => [`${place.named.name}, ${place.where} ${place.way.join('.')}`, place] as const))(
  '%s',
  (_title, place) => {
    test("of another company is as one that does not exist: refused or an empty list, nothing written, the other's keys not named", async () => {
      const id = place.where === 'path' ? await pathIdOf(place.named.name, String(place.way[0]))() : await recordOf(place)?.();
      expect(id).toBeTruthy();
      if (id === undefined) return;
      const nobodys = typeof id === 'number' ? 987_654_321 : `${id.slice(0, -4)}0000`;
      const call = await fixture.goodCall(place.named);
      const isTakenAsGiven = takenAsGiven.has(`${place.named.name} ${place.way.join('.')}`);
      if (isTakenAsGiven) await fixture.testApp.drain();
      const watched = watch(String(id));
      const answer = await fixture.testApp.call(withId(call, place, id));
      if (isTakenAsGiven) await fixture.testApp.drain();
      const { written, namedTheirs } = watched.end();
      expect({ written: isTakenAsGiven ? [] : written, namedTheirs }).toEqual({ written: [], namedTheirs: [] });
      const missing = await fixture.testApp.call(withId(call, place, nobodys));
      // each job has an id and a time of its own
      const isNewJob = isTakenAsGiven && place.named.name.startsWith('create');
      const compared = isNewJob ? ({ status }: Answer) => [status] : visibleIn;
      expect(compared(answer, id)).toEqual(compared(missing, nobodys));
      const isFilter = place.where === 'query' && place.named.route.effect === 'read';
      expect(isFilter || isTakenAsGiven ? [200, 202, ...refusals] : refusals, answer.raw).toContain(answer.status);
      // a report of nothing has its form all the same
      const data = answer.status === 200 && !isTakenAsGiven ? (answer.body as { data: unknown }).data : [];
      if (Array.isArray(data)) expect(data).toEqual([]);
    });
  },
);

function withId(call: Call, { where, way, named }: Place, id: Id): Call {
  if (where === 'path') {
    const at = named.route.path.split('/').findIndex((part) => part.startsWith(`{${String(way[0])}`));
    return { ...call, path: call.path.split('/').with(at, encodeURIComponent(id)).join('/') };
  }
  const [first = '', ...rest] = way;
  if (where === 'query' && rest.length === 0) return { ...call, query: { ...call.query, [first]: id } };
  if (where === 'query') return { ...call, query: { ...call.query, [first]: JSON.stringify(placed({}, rest, id)) } };
  const body = Object.entries(call.body as Record<string, unknown>).filter(([field]) => !inPlaceOf[first]?.includes(field));
  return { ...call, body: placed(Object.fromEntries(body), way, id) };
}

/** What reaches the table until `end`: writes that carry the id and happened, and any call that names a key of the other company. */
function watch(id: string) {
  const own = new RegExp(`"C#${foreign.company.id}[#"]`);
  const carries = new RegExp(`(?<![0-9A-Za-z])0*${id}(?![0-9A-Za-z])`);
  const seen = { written: [] as string[], namedTheirs: [] as string[] };
  const hook = fixture.testApp.onTable(({ command, input, when }) => {
    const text = JSON.stringify(input);
    if (when === 'before' && own.test(text)) seen.namedTheirs.push(`${command} ${text}`);
    const isWrite = /^(Put|Update|Delete|Transact|BatchWrite)/.test(command);
    // but for the caller's own request log, where what it named stands
    if (when === 'after' && isWrite && !text.includes('#REQUESTS"') && carries.test(text)) seen.written.push(`${command} ${text}`);
  });
  return {
    end: () => {
      hook[Symbol.dispose]();
      return seen;
    },
  };
}

const visibleIn = (answer: Answer, id: Id) => [answer.status, codeOf(answer), bodyWithoutRequest(answer).replaceAll(String(id), '<id>')];

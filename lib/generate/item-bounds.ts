import type * as z from 'zod';
import type { EntityDescription } from '../../shared/table/entity.ts';
import { maxCheckpoints } from '../../shared/events/checkpoints.ts';
import { maxFields, maxValueChars } from '../../functions/contacts/contract/custom-value.ts';
import { maxGroups } from '../../functions/contacts/contract/group.ts';
import { maxContactsByIds } from '../../functions/contacts/contract/job.ts';
import { maxCustomBytes } from '../../functions/contacts/domain/field.ts';
import { maxBlockPlaces } from '../../functions/contacts/domain/block.ts';
import { maxMerged } from '../../functions/contacts/domain/contact.ts';
import { maxColumns } from '../../functions/contacts/domain/imports/columns.ts';
import { maxPendingTasks, maxStays } from '../../functions/crm/domain/lead.ts';
import { maxCurrencies } from '../../functions/crm/domain/cell.ts';
import { maxPipelines } from '../../functions/crm/domain/pipeline.ts';
import { maxCardChars } from '../../functions/spend/contract/card.ts';
import { maxEndpoints } from '../../functions/webhooks/contract/endpoint.ts';
import { maxHeaderBytes } from '../../functions/webhooks/domain/delivery-attempt.ts';
import { maxPayloadBytes } from '../../functions/webhooks/domain/payload.ts';

/** Bytes at most, and by what: of an attribute that may grow, which its schema does not bound. */
export interface Bound {
  bytes: number;
  by: string;
}

/** A character has up to three bytes in UTF-8, an id and its place in a list up to 20. */
const ofChars = (chars: number): number => 3 * chars;
const ofIds = (count: number): number => 20 * count;

/** Checkpoints of shards: each has a name of 8 characters, a sequence number and an hour. */
const checkpoints: Bound = { bytes: 100 * (2 * maxCheckpoints + 1), by: 'confirmed shards are dropped' };
const counters = (bytes: number, by: string): Bound => ({ bytes, by });
/** A campaign has one template, so one category, or two where the provider moves it. */
const charges: Bound = { bytes: 250 * 4 * 20 * 12, by: 'countries and types, on 20 days' };
const audience: Bound = { bytes: ofChars(10_000), by: 'a filter has 10,000 characters' };
const parameters: Bound = { bytes: ofChars(30_000), by: 'values have 30,000 characters' };

/** By entity and attribute; `*`: the attributes beside those of the schema. */
const bounds: Readonly<Record<string, Readonly<Record<string, Bound>>>> = {
  activity: { entry: { bytes: ofChars(6_000), by: 'one entry; its longest text is a note' } },
  'address-limit': { '*': counters(500, 'this minute alone') },
  'archived-update': { body: { bytes: 4 * 70_000, by: 'cut into parts of 70,000 characters' } },
  'audit-entry': {
    by: { bytes: 500, by: 'one actor' },
    changes: { bytes: 30_000, by: 'the shown fields; secrets and settings of profiles are left out' },
  },
  'business-number': {
    restrictions: { bytes: 2_000, by: 'one of each kind, as the provider reports them' },
    health: { bytes: 10 * 4 * 700, by: 'ten reasons of two texts of 300 characters' },
  },
  campaign: {
    values: parameters,
    match: parameters,
    products: { bytes: 14_000, by: '10 sections and 30 products' },
    excluded: { bytes: 1_000, by: 'one count a reason' },
    countries: { bytes: 250 * 10, by: 'all countries' },
  },
  'campaign-block': {
    contactIds: { bytes: ofIds(100), by: '100 recipients' },
    waiting: { bytes: ofIds(100), by: '100 recipients' },
    held: { bytes: ofIds(100), by: '100 recipients' },
    begun: { bytes: ofIds(100), by: '100 recipients' },
    skipped: { bytes: 100 * 60, by: '100 recipients' },
    data: parameters,
  },
  'campaign-failures': { contactIds: { bytes: ofIds(100), by: '100 recipients' } },
  'campaign-stats': {
    paceSamples: { bytes: 5_000, by: 'the last minutes' },
    failures: { bytes: 41 * 1_000, by: '40 codes and the others' },
    cost: charges,
  },
  'campaign-stats-part': { failures: { bytes: 41 * 1_000, by: '40 codes and the others' }, cost: charges },
  'canned-reply': { text: { bytes: ofChars(4_096), by: '4,096 characters' } },
  company: { settings: { bytes: 5_000, by: 'single values' } },
  'company-limit': { '*': counters(500, 'this minute alone') },
  consent: { evidence: { bytes: ofChars(2_000), by: 'the id of a message, or a notice' } },
  contact: {
    g: { bytes: ofIds(maxGroups), by: `a company has ${maxGroups} groups` },
    t: { bytes: ofIds(1_000), by: 'a company has 1,000 tags' },
    x: { bytes: maxCustomBytes + 100 * maxFields, by: `${maxFields} fields of ${maxValueChars} characters, 64 KB together` },
    al: { bytes: 2 * maxMerged * 300, by: `the latest ${2 * maxMerged}` },
    fp: { bytes: maxMerged * 100, by: `the latest ${maxMerged}` },
    ms: { bytes: ofIds(maxMerged), by: `${maxMerged} contacts` },
    by: { bytes: 200, by: 'one actor' },
    bk: { bytes: 1_000 + maxBlockPlaces * 200, by: `the latest ${maxBlockPlaces} places, and two actors` },
  },
  'contact-counts': { counts: { bytes: 128 * 6, by: '128 chunks' } },
  'contact-digest': { lines: { bytes: 16 * ofChars(300), by: '16 contacts' } },
  'contact-identity': { mergedIds: { bytes: ofIds(maxMerged), by: `${maxMerged} contacts` } },
  'contact-import': {
    columns: { bytes: maxColumns * ofChars(110), by: `${maxColumns} columns` },
    header: { bytes: 200_000, by: 'a record of the file has 200,000 bytes' },
    mapping: { bytes: maxColumns * 50, by: `${maxColumns} columns` },
    errorSlices: { bytes: ofIds(1_000), by: '1,000,000 rows in slices' },
  },
  'contact-job': {
    contactIds: { bytes: ofIds(maxContactsByIds), by: `${maxContactsByIds} ids` },
    chosen: { bytes: ofIds(maxContactsByIds), by: `${maxContactsByIds} ids` },
    filter: audience,
    change: { bytes: ofIds(2 * maxGroups + 2_000), by: 'groups and tags of the company' },
    columns: { bytes: maxColumns * ofChars(110), by: `${maxColumns} columns` },
    parts: { bytes: ofIds(1_000), by: 'files of 50 MB' },
    files: { bytes: ofIds(1_000), by: 'files of 50 MB' },
  },
  'contact-members': { bits: { bytes: 512, by: '4,096 contacts' } },
  conversation: {
    inboundAtByNumber: { bytes: 40 * 1_000, by: 'the numbers of a company' },
    mergedIds: { bytes: ofIds(maxMerged), by: `${maxMerged} contacts` },
  },
  'conversation-note': { body: { bytes: ofChars(5_000), by: '5,000 characters' } },
  counter: {
    cells: { bytes: 100 * 60, by: 'the cells of the inbox' },
    promises: { bytes: 100 * 200, by: 'reservations that are under way; those left behind are given back' },
  },
  credential: {
    scopes: { bytes: 100 * 40, by: '100 scopes' },
    networks: { bytes: 50 * 55, by: '50 networks' },
    '*': counters(1_000, 'this minute alone'),
  },
  'credential-pointer': {
    requestedScopes: { bytes: 100 * 40, by: '100 scopes' },
    networks: { bytes: 50 * 55, by: '50 networks' },
    previous: { bytes: 4 * 200, by: '4 former secrets' },
    sealedSecret: { bytes: 3_000, by: 'one secret' },
  },
  'crm-cells': {
    cells: { bytes: maxPipelines * 50 * 80, by: `${maxPipelines} pipelines of 50 stages` },
    values: { bytes: maxPipelines * 50 * 20 * (maxCurrencies + 1), by: `${maxCurrencies} currencies a cell` },
  },
  'lead-row': { value: { bytes: 40, by: 'cents and a currency' } },
  'shop-receiver-post': { fields: { bytes: 20 * ofChars(300), by: '20 fields' } },
  'due-watermark': { left: { bytes: 2_000, by: 'names of work' } },
  erasure: { removed: { bytes: 5_000, by: 'kinds of items' }, sealedSubject: { bytes: 40_000, by: 'identities of one contact' } },
  events: { events: { bytes: 3_000 + ofChars(10_000), by: '3,000 characters, or one event' } },
  field: { options: { bytes: (100 * ofChars(maxValueChars)) / 6, by: '100 options' } },
  'idempotency-key': {
    drawn: { bytes: 5_000, by: 'ids of one operation' },
    answer: { bytes: 275_000, by: 'a longer answer is not stored' },
  },
  keywords: {
    stop: { bytes: 200 * ofChars(60), by: '200 words' },
    start: { bytes: 200 * ofChars(60), by: '200 words' },
    stopReply: { bytes: ofChars(1_000), by: '1,000 characters' },
    startReply: { bytes: ofChars(1_000), by: '1,000 characters' },
  },
  lead: {
    rq: { bytes: ofChars(5_000), by: '5,000 characters' },
    st: { bytes: maxStays * 60, by: `the latest ${maxStays} stages` },
    pt: { bytes: ofIds(2 * maxPendingTasks), by: `${maxPendingTasks} pending tasks` },
    lg: { bytes: 6 * ofChars(6_000), by: 'the latest 6 entries' },
  },
  'lead-page': { packed: { bytes: 300_000, by: 'the longest texts are cut' } },
  'logged-request': { fields: { bytes: 20 * ofChars(300), by: '20 names of 300 characters' } },
  message: {
    value: { bytes: ofChars(60_000), by: '60,000 characters with all that came; an outbound text has 4,096' },
    content: { bytes: 0, by: 'in `value`' },
    raw: { bytes: 0, by: 'in `value`' },
    payload: {
      bytes: ofChars(55_000) - ofChars(60_000) + ofChars(10_000),
      by: 'components have 50,000 characters, and a long `value` has none',
    },
    pastWamids: { bytes: 5 * 300, by: '3 attempts' },
    takenBefore: { bytes: 5 * 200, by: '3 attempts' },
  },
  note: { body: { bytes: ofChars(5_000), by: '5,000 characters' }, log: { bytes: 6 * ofChars(6_000), by: 'the latest 6 entries' } },
  'notice-hour': { '*': counters(6 * 100, 'six mails an hour') },
  'parked-status': { update: { bytes: 20_000, by: 'one status of the provider' } },
  pace: { '*': counters(25 * 1_000, 'the campaigns that run under a ceiling') },
  passkey: { publicKey: { bytes: 6_000, by: 'one key' } },
  'phone-check-quota': { '*': counters(1_000, 'this minute alone') },
  pipeline: { stages: { bytes: 50 * 600, by: '50 stages' } },
  'rate-card': {
    markets: { bytes: ofChars(maxCardChars), by: `${maxCardChars.toLocaleString('en')} characters` },
  },
  'restored-copy': { restored: { bytes: 3_000, by: 'kinds of items' } },
  'search-snapshot': {
    parts: { bytes: ofIds(2_000), by: 'a part has 1,024 digests or more' },
    leftovers: { bytes: 60 * 2_000, by: 'parts of one interrupted update' },
  },
  segment: { filter: audience },
  'set-aside-change': {
    left: { bytes: 20_000, by: 'parts of one change' },
    record: { bytes: 270_000, by: 'a longer one is listed without it' },
  },
  'shop-cart': {
    checkoutIds: { bytes: 6 * 600, by: '6 ids' },
    items: { bytes: 20 * ofChars(1_000), by: '20 names' },
  },
  'shop-category': { description: { bytes: ofChars(65_535), by: '65,535 characters' } },
  'shop-connection': {
    scopes: { bytes: 5_000, by: 'those of the app' },
    formerReceivers: { bytes: 50 * 400, by: 'removed by the setup after each connection' },
    sealedAccess: { bytes: 5_000, by: 'one token' },
    sealedRefresh: { bytes: 5_000, by: 'one token' },
  },
  'shop-installation': {
    scopes: { bytes: 5_000, by: 'those of the app' },
    sealedAccess: { bytes: 5_000, by: 'one token' },
    sealedRefresh: { bytes: 5_000, by: 'one token' },
  },
  'shop-order': {
    items: { bytes: 240_000, by: 'the whole order has 240 KB: texts are cut, lines behind the first 300 left out' },
    address: { bytes: 0, by: 'with `items`' },
    notes: { bytes: 0, by: 'with `items`' },
    sourceStates: { bytes: 0, by: 'with `items`' },
    checkoutIds: { bytes: 0, by: 'with `items`' },
    parcelEvents: { bytes: 20 * ofChars(100), by: 'the latest 20' },
    shipments: { bytes: 0, by: 'the latest 100; with `items`' },
    history: { bytes: 100 * 120, by: 'the latest 100 steps' },
  },
  'shop-order-claim': {
    waiting: { bytes: 100 * 1_000, by: 'the latest 100' },
    parcels: { bytes: 20 * 2_000, by: 'the latest 20' },
  },
  'shop-privacy-request': { orderIds: { bytes: ofIds(5_000), by: 'the orders that a notice names' } },
  'shop-product': { description: { bytes: ofChars(65_535), by: '65,535 characters' } },
  'shop-settings': {
    abandoned_cart: { bytes: 3 * ofChars(3_000) * 2, by: '3,000 characters a part of a template' },
    order_notifications: { bytes: 8 * 3 * ofChars(3_000), by: '3,000 characters a part of a template, by status' },
  },
  'shop-test-call': { body: { bytes: ofChars(50_000), by: '50,000 characters' } },
  'staff-preference': { enrolment: { bytes: 500, by: '5 wrong codes' } },
  'reach-estimate': { points: { bytes: 50 * 150, by: 'the prices that the provider names' } },
  'spend-bill': { others: { bytes: 50 * 200, by: 'the accounts that a daily check reads' } },
  'spend-account': {
    stops: { bytes: 100, by: 'four categories' },
    '*': counters(40 * 1_000, 'the numbers of a company'),
  },
  task: { tz: { bytes: ofChars(2_000), by: '2,000 characters' }, lg: { bytes: 6 * ofChars(6_000), by: 'the latest 6 entries' } },
  'task-row': { task: { bytes: 7 * ofChars(6_000), by: 'a task' } },
  template: {
    components: { bytes: ofChars(60_000), by: '60,000 characters, or the limits of the provider' },
    editedAt: { bytes: ofIds(10), by: '10 edits in 30 days' },
  },
  'template-creates': { at: { bytes: ofIds(100), by: '100 an hour' } },
  'template-reach': { bits: { bytes: 512, by: '4,096 contacts' }, claims: { bytes: 100 * 620, by: '100 claims' } },
  'inbox-day-part': { cells: { bytes: 10_000, by: '500 cells, and the buckets of no user' } },
  'usage-part': { cells: { bytes: 100_000, by: 'kinds of messages, and profiles of the company' } },
  'verification-ceiling': { '*': counters(24 * 20 + 260 * 24, 'the hours of a day, and the countries with a ceiling') },
  'verification-code-rate': { '*': counters(7 * 250 * 2 * 20, 'seven parts of an hour, by country') },
  'verification-prefix': { '*': counters(150 * 40, 'seven parts of an hour, 100 numbers') },
  'verification-profile': { settings: { bytes: 100_000, by: '100,000 bytes' } },
  'verification-proofs': { '*': counters(20 * 30, 'seven parts of an hour') },
  'verification-rate': { '*': counters(1_000, 'this minute alone') },
  'verification-request': { risk: { bytes: 2_000, by: 'one of each reason' } },
  'verification-request-budget': {
    sends: { bytes: ofIds(500), by: 'the window of the pace' },
    serverSends: { bytes: ofIds(500), by: 'the window of the pace' },
    blocks: { bytes: ofIds(100), by: 'those of the last days' },
    last: { bytes: 100 * 600, by: 'nine purposes, and those under way' },
    trusted: { bytes: 10 * 300, by: 'the latest 10' },
    '*': counters(24 * 60 * 30, 'the hours of a day by source, results of a day'),
  },
  'verification-source': { '*': counters(200 * 4 * 40, 'identifiers of the last hours; the source is refused beyond') },
  'verification-template': { body: { bytes: ofChars(10_000), by: '10,000 characters' } },
  'waiting-imports': { createdAt: { bytes: ofIds(2 * 10), by: '10 imports' } },
  'volume-tiers': { starts: { bytes: 400 * 130, by: '400 markets and categories' } },
  'webhook-delivery': {
    headers: { bytes: 2 * maxHeaderBytes + 1_000, by: 'what is sent, and the headers of one answer, which are cut' },
    tries: { bytes: 30 * 400, by: 'the latest 30' },
    body: { bytes: 4_096, by: 'of an answer 4,096 bytes' },
    error: { bytes: 2_000, by: 'one sentence' },
  },
  'webhook-endpoint': { events: { bytes: 100 * 50, by: 'the names of events' } },
  'webhook-pending': { body: { bytes: Math.ceil(maxPayloadBytes * 1.37), by: `a payload of ${maxPayloadBytes / 1_024} KB, sealed` } },
  'webhook-subscriptions': { endpoints: { bytes: maxEndpoints * 6_000, by: `${maxEndpoints} endpoints` } },
};

/** What a text has at most that says nothing else: an id, a hash, a name of up to 255 characters, a link. */
export const usualTextBytes = 2_048;

/** The bound of an attribute of an entity: what is named above, or that of all checkpoints. */
export const boundOf = (entity: string, attribute: string): Bound | undefined =>
  bounds[entity]?.[attribute] ?? (attribute === 'checkpoints' ? checkpoints : undefined);

/** Names above that no attribute of an entity has. */
export const unusedBounds = (entities: readonly EntityDescription[]): string[] =>
  Object.entries(bounds).flatMap(([name, attributes]) => {
    const shape = entities.find((each) => each.name === name)?.attributes.shape;
    return Object.keys(attributes).flatMap((each) => (shape && (each === '*' || each in shape) ? [] : [`${name}.${each}`]));
  });

/** Attributes that may grow and have no bound. */
export const unboundedAttributes = ({ name, attributes }: EntityDescription): string[] => [
  ...Object.entries(attributes.shape).flatMap(([attribute, schema]) =>
    sizeOf(schema) === undefined && !boundOf(name, attribute) ? [attribute] : [],
  ),
  ...(isLoose(attributes) && !boundOf(name, '*') ? ['*'] : []),
];

/** What an item of the entity has at most, in bytes, with its keys and names. */
export const mostBytes = ({ name, attributes }: EntityDescription): number =>
  2 * usualTextBytes +
  (boundOf(name, '*')?.bytes ?? 0) +
  Object.entries(attributes.shape).reduce(
    (sum, [attribute, schema]) => sum + attribute.length + (boundOf(name, attribute)?.bytes ?? sizeOf(schema) ?? 0),
    0,
  );

/** What bounds the attributes that may grow, in words. */
export const boundsInWords = ({ name, attributes }: EntityDescription): string[] =>
  [...Object.keys(attributes.shape), '*'].flatMap((attribute) => {
    const bound = bounds[name]?.[attribute];
    return bound ? [`${attribute === '*' ? 'counters' : `\`${attribute}\``}: ${bound.by}`] : [];
  });

const isLoose = (schema: z.ZodObject): boolean =>
  schema._zod.def.catchall !== undefined && schema._zod.def.catchall._zod.def.type !== 'never';

/** Undefined: it may grow. */
function sizeOf(schema: z.core.$ZodType): number | undefined {
  const { def } = (schema as z.ZodType)._zod as unknown as { def: SchemaForm };
  if (def.innerType) return sizeOf(def.innerType);
  if (def.type === 'pipe' && def.in) return sizeOf(def.in);
  if (def.type === 'string') return usualTextBytes;
  if (def.type === 'object' && def.shape && !def.catchall) return sumOf(Object.values(def.shape).map(sizeOf));
  if (def.type === 'union' && def.options) return sumOf(def.options.map(sizeOf));
  return ['int', 'number', 'boolean', 'enum', 'literal', 'null', 'undefined'].includes(def.type) ? 40 : undefined;
}

const sumOf = (sizes: readonly (number | undefined)[]): number | undefined =>
  sizes.reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0);

/** The parts of a schema that its size follows from. */
interface SchemaForm {
  type: string;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  shape?: Readonly<Record<string, z.core.$ZodType>>;
  catchall?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
}

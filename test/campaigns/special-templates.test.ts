import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { syncAccount } from '../../functions/templates/service/sync-account.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { only } from '../messaging/fixture.ts';
import { type CampaignFixture, type Contact, refusal, startFixture } from './fixture.ts';

/** Campaigns with carousels, limited-time offers and products: refused whole where they could not be sent, and sent whole otherwise. */
let fixture: CampaignFixture;
let company: TestCompany;
const ids = new Map<string, number>();

const image = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } };
const url = { type: 'URL', text: 'Shop', url: 'https://a.example/{{1}}', example: ['x'] };
const coupon = { type: 'COPY_CODE', example: 'CARIBE25' };
const buttons = (...list: object[]) => ({ type: 'BUTTONS', buttons: list });
const cardText = { type: 'BODY', text: 'Only for {{1}} today.', example: { body_text: [['Ada']] } };
const breads = { components: [image, cardText, buttons(url, { type: 'QUICK_REPLY', text: 'More' })] };
const shelf = { components: [{ type: 'HEADER', format: 'PRODUCT' }, buttons({ type: 'SPM', text: 'View' })] };
const body = { type: 'BODY', text: 'Our new bread.' };
const carousel = (...cards: object[]) => [body, { type: 'CAROUSEL', cards }];
const offer = { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Until Sunday', has_expiration: true } };
const special = {
  breads: carousel(breads, breads),
  shelf: carousel(shelf, shelf),
  offer: [body, offer, buttons(coupon, url)],
  items: [body, buttons({ type: 'MPM', text: 'View items' })],
  catalog: [body, buttons({ type: 'CATALOG', text: 'View catalog' })],
};
type Special = keyof typeof special;

beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
  const templates = Object.entries(special).map(([name, components]) => ({ name, language: 'en', category: 'MARKETING', components }));
  await fixture.provider.control('PUT', '/_local/provider/templates', { waba_id: company.number.wabaId, templates });
  unwrap(await syncAccount(company.id));
  const listed = await fixture.testApp.call({ method: 'GET', path: '/api/v1/templates', token: company.tokens.member });
  const rows = z.object({ data: z.array(z.looseObject({ id: z.int(), name: z.string() })) }).parse(listed.body).data;
  for (const { id, name } of rows) ids.set(name, id);
});
afterAll(() => fixture.stop());

const picture = (name: string) => ({ link: `https://files.example/${name}.jpg` });
const breadCards = (...names: string[]) => names.map((name) => ({ header: picture(name), body: { 1: 'you' }, buttons: { 0: name } }));
const products = { sections: [{ title: 'Bread', product_ids: ['rye', 'oat'] }] };
const inHours = (hours: number): string => new Date(fixture.testApp.clock.now() + hours * 3_600_000).toISOString();
const named = (template: Special, more: Record<string, unknown>) => ({ name: 'Bread', template_id: ids.get(template), ...more });
const sentTo = async ({ phone }: Contact): Promise<Record<string, unknown>[]> =>
  (await fixture.ledger(phone))
    .map(({ payload }) => (payload['template'] as { components?: Record<string, unknown>[] }).components ?? [])
    .flat();
const sends = async (): Promise<number> => (await fixture.ledger()).length;

describe('a campaign that could not be sent is refused whole, naming the field: nothing of it is stored or sent', () => {
  const breadValues = { paramvalues: { cards: breadCards('rye', 'oat') } };
  const offerValues = () => ({ paramvalues: { buttons: { 0: 'A1', 1: 'rye' } }, offer_ends_at: inHours(5) });
  test.each<[string, Special, () => Record<string, unknown>, string]>([
    ['cards without values', 'breads', () => ({}), 'paramvalues'],
    ['values of one card of two', 'breads', () => ({ paramvalues: { cards: breadCards('rye') } }), 'paramvalues'],
    ['values of a third card', 'breads', () => ({ paramvalues: { cards: breadCards('rye', 'oat', 'bun') } }), 'paramvalues'],
    ['fields of a third card', 'breads', () => ({ ...breadValues, parammatch: { cards: { 2: { body: { 1: 'name' } } } } }), 'parammatch'],
    [
      'a card without its picture',
      'breads',
      () => ({ paramvalues: { cards: breadCards('rye', 'oat').map((card) => ({ ...card, header: {} })) } }),
      'paramvalues',
    ],
    [
      'a picture on a private address',
      'breads',
      () => ({ paramvalues: { cards: breadCards('rye', 'oat').map((card) => ({ ...card, header: { link: 'https://10.0.0.1/a.jpg' } })) } }),
      'paramvalues',
    ],
    [
      'a card text of nothing but blanks',
      'breads',
      () => ({ paramvalues: { cards: breadCards('rye', 'oat').map((card) => ({ ...card, body: { 1: '  ' } })) } }),
      'paramvalues',
    ],
    ['eleven cards', 'breads', () => ({ paramvalues: { cards: breadCards(...Array.from({ length: 11 }, () => 'rye')) } }), 'paramvalues'],
    ['a card of an unknown form', 'breads', () => ({ paramvalues: { cards: [{ picture: 'rye' }] } }), 'paramvalues'],
    ['fields of a card that no contact has', 'breads', () => ({ parammatch: { cards: [{ body: { 1: 'shoe_size' } }] } }), 'parammatch'],
    ['cards for a template without', 'catalog', () => ({ paramvalues: { cards: breadCards('rye') } }), 'paramvalues'],
    ['product cards without a catalog', 'shelf', () => ({ paramvalues: { cards: [{ header: { product_id: 'rye' } }] } }), 'paramvalues'],
    ['an offer without its end', 'offer', () => ({ ...offerValues(), offer_ends_at: undefined }), 'offer_ends_at'],
    ['an offer that is over', 'offer', () => ({ ...offerValues(), offer_ends_at: inHours(-5) }), 'offer_ends_at'],
    ['an offer that is over before the campaign begins', 'offer', () => ({ ...offerValues(), send_time: inHours(6) }), 'offer_ends_at'],
    ['an end in words', 'offer', () => ({ ...offerValues(), offer_ends_at: 'soon' }), 'offer_ends_at'],
    [
      'an offer code of 16 characters',
      'offer',
      () => ({ ...offerValues(), paramvalues: { buttons: { 0: 'A'.repeat(16), 1: 'rye' } } }),
      'paramvalues',
    ],
    ['an end without an offer', 'catalog', () => ({ offer_ends_at: inHours(5) }), 'offer_ends_at'],
    ['no products for their button', 'items', () => ({}), 'products'],
    ['products without their button', 'catalog', () => ({ products }), 'products'],
    [
      '31 products',
      'items',
      () => ({ products: { sections: [{ title: 'Bread', product_ids: Array.from({ length: 31 }, (_, index) => `rye ${index}`) }] } }),
      'products.sections',
    ],
  ])('%s', async (_what, template, fields, field) => {
    const before = [await sends(), (await fixture.testApp.dump({ kind: 'campaign', companyId: company.id })).length];
    expect(refusal(await fixture.api(company, 'POST', '', named(template, fields())))).toEqual([422, 'validation_failed', field]);
    expect([await sends(), (await fixture.testApp.dump({ kind: 'campaign', companyId: company.id })).length]).toEqual(before);
  });

  test('and the preview of it too, for what it says; what it leaves out counts as missing for everybody', async () => {
    const preview = (template: Special, fields: Record<string, unknown>) =>
      fixture.api(company, 'POST', '/audience-preview', { template_id: ids.get(template), ...fields });
    expect(refusal(await preview('breads', { paramvalues: { cards: breadCards('a', 'b', 'c') } }))).toEqual([
      422,
      'validation_failed',
      'paramvalues',
    ]);
    expect(refusal(await preview('catalog', { products }))).toEqual([422, 'validation_failed', 'products']);
    expect(refusal(await preview('offer', { offer_ends_at: inHours(-2) }))).toEqual([422, 'validation_failed', 'offer_ends_at']);
    const [recipient] = await fixture.people(company, 1);
    const of = { audience_type: 'contact', contact_id: recipient?.id };
    expect((await preview('breads', { ...of, paramvalues: { cards: breadCards('rye') } })).body).toMatchObject({
      data: { eligible_contacts: 0, excluded: { missing_parameter: 1 } },
    });
    expect((await preview('breads', { ...of, paramvalues: { cards: breadCards('rye', 'oat') } })).body).toMatchObject({
      data: { eligible_contacts: 1, excluded: { missing_parameter: 0 } },
    });
  });
});

test('each card says what the contact says, else what is said to all: a field that is no address is no picture', async () => {
  const [one, other] = await fixture.people(company, 2);
  const group = await fixture.group(company, 'Bread');
  const change = async (contact: Contact | undefined, custom: Record<string, string>) => {
    const path = `/api/v1/contacts/${contact?.id}`;
    const answer = await fixture.testApp.call({
      method: 'PATCH',
      path,
      token: company.tokens.member,
      body: { custom, add_groups: [group] },
    });
    expect(answer.status, answer.raw).toBe(200);
  };
  await change(one, { picture: 'https://files.example/own.jpg', bread: 'spelt' });
  await change(other, { picture: 'a photo of bread' });
  await fixture.testApp.drain();
  const id = await fixture.create(
    company,
    named('breads', {
      group_id: group,
      paramvalues: { cards: breadCards('rye', 'oat') },
      parammatch: { cards: { 0: { header: { link: 'custom.picture' }, buttons: { 0: 'custom.bread' } }, 1: { body: { 1: 'name' } } } },
    }),
  );
  await fixture.testApp.passTime(60);
  const cards = async (contact: Contact | undefined) => (contact ? only(await sentTo(contact))['cards'] : undefined);
  const card = (index: number, link: string, text: string, suffix: string) => ({
    card_index: index,
    components: [
      { type: 'header', parameters: [{ type: 'image', image: { link } }] },
      { type: 'body', parameters: [{ type: 'text', text }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: suffix }] },
    ],
  });
  const nameOf = (contact: Contact | undefined) => `Person ${contact?.phone.slice(-5)}`;
  expect(await cards(one)).toEqual([
    card(0, 'https://files.example/own.jpg', 'you', 'spelt'),
    card(1, 'https://files.example/oat.jpg', nameOf(one), 'oat'),
  ]);
  expect(await cards(other)).toEqual([
    card(0, 'https://files.example/rye.jpg', 'you', 'rye'),
    card(1, 'https://files.example/oat.jpg', nameOf(other), 'oat'),
  ]);
  expect(await fixture.details(company, id)).toMatchObject({ status: 'completed', statistics: { total: 2, failed: 0, skipped: 0 } });
  // of one recipient: its own card, before everything else
  const data = { cards: { 0: { body: { 1: 'dear Ada' } } } };
  expect((await fixture.api(company, 'POST', '/send', { phone: '+4915799000077', campaign_id: id, data })).status).toBe(200);
  await fixture.testApp.drain();
  expect(JSON.stringify(await sentTo({ id: 0, phone: '4915799000077' }))).toContain('dear Ada');
});

test('product cards, products and a catalog are sent as the campaign names them, and a copy has them too', async () => {
  const [recipient] = await fixture.people(company, 1);
  const to = { contact_id: recipient?.id };
  const shelfCards = ['rye', 'oat'].map((id) => ({ header: { product_id: id, catalog_id: '7' } }));
  await fixture.create(company, named('shelf', { ...to, paramvalues: { cards: shelfCards } }));
  const id = await fixture.create(company, named('items', { ...to, products }));
  await fixture.create(company, named('catalog', to));
  expect((await fixture.api(company, 'POST', `/${id}`, { send_now: true })).body).toMatchObject({ data: { products } });
  await fixture.testApp.drain();
  const sent = recipient ? await sentTo(recipient) : [];
  const shown = {
    thumbnail_product_retailer_id: 'rye',
    sections: [{ title: 'Bread', product_items: [{ product_retailer_id: 'rye' }, { product_retailer_id: 'oat' }] }],
  };
  const items = { type: 'button', sub_type: 'mpm', index: '0', parameters: [{ type: 'action', action: shown }] };
  expect(sent).toHaveLength(3);
  expect(sent).toEqual(
    expect.arrayContaining([
      items,
      {
        type: 'carousel',
        cards: ['rye', 'oat'].map((product, index) => ({
          card_index: index,
          components: [{ type: 'header', parameters: [{ type: 'product', product: { product_retailer_id: product, catalog_id: '7' } }] }],
        })),
      },
    ]),
  );
  expect(recipient ? (await fixture.ledger(recipient.phone)).length : 0).toBe(4);
});

test('a test of a campaign carries its cards, products, offer and picture as the campaign does', async () => {
  const ends = inHours(5);
  const contents: [Special, Record<string, unknown>][] = [
    ['shelf', { paramvalues: { cards: ['rye', 'oat'].map((id) => ({ header: { product_id: id, catalog_id: '7' } })) } }],
    ['breads', { paramvalues: { cards: breadCards('rye', 'oat') } }],
    ['items', { products }],
    ['offer', { paramvalues: { buttons: { 0: 'A1', 1: 'rye' } }, offer_ends_at: ends }],
  ];
  for (const [template, given] of contents) {
    const [recipient] = await fixture.people(company, 1);
    const { name: _name, ...body } = named(template, { ...given, contact_id: recipient?.id });
    expect((await fixture.api(company, 'POST', '/test', body)).status).toBe(200);
    await fixture.testApp.passTime(2);
    const tested = recipient ? await sentTo(recipient) : [];
    await fixture.create(company, named(template, { ...given, contact_id: recipient?.id }));
    await fixture.testApp.passTime(2);
    expect([template, tested.length > 0, recipient ? await sentTo(recipient) : []]).toEqual([template, true, [...tested, ...tested]]);
  }
});

describe('a limited-time offer', () => {
  const values = { paramvalues: { buttons: { 0: 'A1', 1: 'rye' } } };

  test('says until when, to the millisecond', async () => {
    const [recipient] = await fixture.people(company, 1);
    const ends = inHours(5);
    const id = await fixture.create(company, named('offer', { ...values, contact_id: recipient?.id, offer_ends_at: ends }));
    await fixture.testApp.drain();
    const parameter = { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: Date.parse(ends) } };
    expect(recipient ? await sentTo(recipient) : []).toContainEqual({ type: 'limited_time_offer', parameters: [parameter] });
    expect(Date.parse((await fixture.details(company, id)).offer_ends_at ?? '')).toBe(Date.parse(ends));
  });

  test('goes to none of those who remain when it is over: not after a pause, not by a late start, not to one more', async () => {
    const [recipient] = await fixture.people(company, 1);
    const waiting = named('offer', { ...values, contact_id: recipient?.id, send_time: inHours(2), offer_ends_at: inHours(3) });
    const id = await fixture.create(company, waiting);
    const later = await fixture.api(company, 'PUT', `/${id}`, { send_time: inHours(4) });
    expect(refusal(later)).toEqual([422, 'validation_failed', 'send_time']);
    expect((await fixture.api(company, 'PUT', `/${id}`, { is_active: false })).status).toBe(200);
    await fixture.testApp.passTime(3.5 * 3_600);
    expect((await fixture.api(company, 'PUT', `/${id}`, { is_active: true })).status).toBe(200);
    await fixture.testApp.passTime(60);
    expect(recipient && (await fixture.ledger(recipient.phone))).toEqual([]);
    expect(await fixture.details(company, id)).toMatchObject({ status: 'failed', failure_reason: 'offer_over' });
    const send = await fixture.api(company, 'POST', '/send', { phone: '+4915799000078', campaign_id: id });
    expect(refusal(send)).toEqual([422, 'validation_failed', 'campaign_id']);
    // a copy has no end any more, and must be given one
    expect(refusal(await fixture.api(company, 'POST', `/${id}`, { send_now: true }))).toEqual([422, 'validation_failed', 'offer_ends_at']);
    expect((await fixture.api(company, 'POST', `/${id}`, { send_now: true, offer_ends_at: inHours(1) })).status).toBe(200);
    await fixture.testApp.drain();
    expect(recipient && (await fixture.ledger(recipient.phone)).length).toBe(1);
  });
});

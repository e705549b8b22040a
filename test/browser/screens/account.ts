import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Console, startConsole, visit } from '../../support/console.ts';
import { findings, views } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

let swb: Console;
let endpoint: number;
let number: number;
let contact: number;
let campaign: number;
let template: number;
const longName = 'Maximiliane-Charlotte von Hohenstein-Wittelsbach zu Unterammergau';

beforeAll(async () => {
  swb = await startConsole(sharedProduct(2));
  const { api } = swb.product;
  await api.users.create({ body: { name: longName, email: `${'long.name.'.repeat(5)}person@example.com`, role: 'admin' } });
  await api.tokens.create({ body: { name: longName, scopes: ['contacts:read'], networks: ['203.0.113.0/24'] } });
  await api.fields.create({ body: { key: 'size', name: longName, type: 'select', options: ['S', 'M', 'L'] } });
  const { data } = await api.webhooks.create({ body: { url: `http://127.0.0.1:9/${'a-long-path/'.repeat(8)}`, events: ['*'] } });
  endpoint = data.id;
  number = (await api.numbers.list()).data[0]?.id ?? 0;
  const params = { id: number };
  await api.numbers.createLink({ params, body: { message: `${longName}: ${'is it in stock? '.repeat(4)}` } });
  await api.numbers.setUsername({ params, body: { username: 'a_long.username.of_the_alder.garden' } });
  await api.numbers.updateAutomation({
    params,
    body: {
      ice_breakers: ['Where are you?', longName],
      commands: [
        { name: 'hours', description: 'When the shop is open' },
        { name: 'a_long_name_of_a_command_as_is', description: longName.repeat(3) },
      ],
    },
  });
  await api.webhooks.test({ params: { id: endpoint } });
  await api.messages.sendTemplate({ body: { phone: '+4915112345678', template_name: 'hello_world', template_language: 'en_US' } });
  contact = (
    await api.contacts.create({ body: { phone: '+4915112345679', name: longName, email: `${'long.name.'.repeat(4)}person@example.com` } })
  ).data.id;
  template = (await api.templates.list()).data.find(({ name }) => name === 'hello_world')?.id ?? 0;
  const send_time = new Date(Date.now() + 300 * 86_400_000).toISOString();
  campaign = (await api.campaigns.create({ body: { name: longName, template_id: template, send_time } })).data.id;
  const pipeline_id = (await api.pipelines.create({ body: { template: 'sales' } })).data.id;
  await api.leads.create({
    body: { contact_id: contact, pipeline_id, title: longName, value: 1_234_567.89, currency: 'EUR', creation_key: crypto.randomUUID() },
  });
  // a call that the request log has
  await expect(api.contacts.create({ body: { phone: 'none' } })).rejects.toThrow();
  // a session that the others could end
  await (await swb.signIn()).context().close();
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

type Opening = (page: Page) => Promise<void>;
const dialog = (page: Page) => page.getByRole('dialog').waitFor();

/** By a click on the one of its kind that is chosen. */
const openBy =
  (selector: string, which: 'first' | 'last' = 'first'): Opening =>
  async (page) => {
    await page.locator(selector)[which]().click();
    await dialog(page);
  };

const openFirst = openBy('.row-link');
const openNew = openBy('.page-header .primary');
/** By a button in words beside the title. */
const openByButton = openBy('.page-header button:not(.icon)', 'last');

/** By an entry of the menu beside the title, or of the first row that has one. */
const openByMenu =
  (entry: number, place = '.data-table .lines'): Opening =>
  async (page) => {
    await page.locator(`${place} [aria-haspopup]`).first().click();
    await page.getByRole('menuitem').nth(entry).click();
    await dialog(page);
  };

interface Screen {
  path: string;
  open?: Opening;
  /** What is opened, where several things are. */
  name?: string;
  showsSecret?: boolean;
}

/** Every screen of developers and settings, and what opens on it: forms, changes, and what is confirmed before it is done. */
const screens = (): readonly Screen[] => [
  { path: '/contacts' },
  { path: '/contacts', open: openNew },
  { path: '/contacts/import' },
  { path: `/contacts/${contact}` },
  { path: '/campaigns' },
  { path: '/campaigns/new' },
  { path: `/campaigns/${campaign}` },
  { path: '/sales' },
  { path: '/sales', open: openNew },
  { path: '/sales/tasks' },
  { path: '/home' },
  { path: '/shop' },
  { path: '/shop/carts' },
  { path: '/spend' },
  { path: '/spend/rates' },
  { path: '/spend/ceilings' },
  { path: '/sales/reports' },
  { path: '/shop/products' },
  { path: '/shop/products', open: openNew },
  { path: '/shop/categories' },
  { path: '/shop/categories', open: openNew },
  { path: '/shop/messages' },
  { path: '/shop/messages', open: openBy('.sentences button') },
  { path: '/shop/connections' },
  { path: '/shop/connections', open: openNew },
  { path: '/shop/incoming' },
  { path: '/shop/privacy' },
  { path: '/verification' },
  { path: '/verification/requests' },
  { path: '/verification/blocks' },
  { path: '/verification/exceptions' },
  { path: '/verification/exceptions', open: openNew },
  { path: '/verification/profiles' },
  { path: '/verification/profiles', open: openNew },
  { path: '/templates' },
  { path: '/templates', open: openFirst },
  { path: '/templates/new' },
  { path: `/templates/new?from=${template}` },
  { path: `/templates/${template}/edit` },
  { path: '/templates/library' },
  { path: '/templates/library', open: openBy('.template-library button') },
  { path: '/developers' },
  { path: '/developers?types=order.*' },
  { path: '/developers', open: openFirst },
  { path: '/developers/deliveries' },
  { path: '/developers/deliveries', open: openFirst },
  { path: '/developers/deliveries', open: openByButton, name: 'replay' },
  { path: '/developers/requests' },
  { path: '/developers/requests', open: openFirst },
  { path: '/developers/webhooks' },
  { path: '/developers/webhooks', open: openNew },
  { path: `/developers/webhooks/${endpoint}` },
  ...['edit', 'disable', 'rotate', 'replay', 'delete'].flatMap((name, entry) =>
    name === 'disable' ? [] : [{ path: `/developers/webhooks/${endpoint}`, open: openByMenu(entry, '.page-header'), name }],
  ),
  { path: '/developers/tokens' },
  { path: '/developers/tokens', open: openNew },
  { path: '/developers/tokens', open: openByMenu(1), name: 'revoke' },
  { path: '/developers/tokens', open: openByMenu(0), name: 'replace' },
  {
    path: '/developers/tokens',
    name: 'the secret, once',
    showsSecret: true,
    open: async (page) => {
      await openByMenu(0)(page);
      await page.locator('.dialog footer .primary').click();
      await page.locator('.secret-box').first().waitFor();
    },
  },
  { path: '/developers/addresses' },
  { path: '/developers/addresses', open: openNew },
  ...['replace', 'revoke'].map((name, entry) => ({ path: '/developers/addresses', open: openByMenu(entry), name })),
  // of a receiver of webhooks
  { path: '/developers/addresses', open: openByMenu(1, '.data-table .line:last-child'), name: 'signing' },
  { path: '/developers/signatures' },
  { path: '/developers/reference?operation=createToken' },
  { path: '/settings' },
  { path: '/settings/people' },
  { path: '/settings/people', open: openNew },
  ...['edit', 'deactivate'].map((name, entry) => ({ path: '/settings/people', open: openByMenu(entry), name })),
  { path: '/settings/numbers' },
  { path: `/settings/numbers/${number}` },
  { path: `/settings/numbers/${number}`, open: openByButton, name: 'edit' },
  {
    path: `/settings/numbers/${number}`,
    name: 'replace secrets',
    open: openBy('.page-body .actions button:has(svg)', 'last'),
  },
  { path: `/settings/numbers/${number}/profile` },
  { path: `/settings/numbers/${number}/profile`, open: openBy('.section button'), name: 'username' },
  { path: `/settings/numbers/${number}/profile`, open: openBy('.section button.danger'), name: 'delete the username' },
  { path: `/settings/numbers/${number}/links` },
  { path: `/settings/numbers/${number}/links`, open: openNew },
  ...['edit', 'delete'].map((name, entry) => ({ path: `/settings/numbers/${number}/links`, open: openByMenu(entry + 1), name })),
  { path: `/settings/numbers/${number}/suggestions` },
  { path: '/settings/numbers/connect' },
  { path: '/settings/numbers/signup' },
  { path: '/settings/keywords' },
  { path: '/settings/fields' },
  { path: '/settings/fields', open: openNew },
  ...['edit', 'delete'].map((name, entry) => ({ path: '/settings/fields', open: openByMenu(entry), name })),
  { path: '/settings/usage' },
  { path: '/settings/audit' },
  { path: '/settings/audit', open: openFirst },
  { path: '/settings/sessions' },
  {
    path: '/settings/sessions',
    name: 'passkeys',
    open: openBy('.page-header button:not(.icon)'),
  },
  {
    path: '/settings/sessions',
    name: 'end',
    open: openBy('.data-table .lines button'),
  },
  { path: '/settings/preferences' },
];

test.concurrent.for(views)(
  'developers and settings at $width px, $colorScheme, $locale: no screen has a serious violation or a token, and nothing overlaps or leaves the page',
  { timeout: 240_000 },
  async ({ width, colorScheme, locale }) => {
    const owner = { 'en-GB': 'Owner', 'de-DE': 'Inhaber', 'ar-EG': 'مالك' }[locale];
    const page = await swb.signIn(owner, { viewport: { width, height: 800 }, colorScheme, locale });
    for (const { path, open, name = 'opened', showsSecret = false } of screens()) {
      await visit(page, path);
      await page.locator('.page .skeleton').first().waitFor({ state: 'detached' });
      await open?.(page);
      expect(await findings(page, { showsSecret }), `${path}${open ? `, ${name}` : ''}`).toEqual([]);
    }
    await page.context().close();
  },
);

test('the browser complains of nothing, and nothing is asked of another host', () => {
  expect(swb.complaints).toEqual([]);
  expect(swb.foreign).toEqual([]);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { nouns } from '../../bin/admin/nouns.ts';
import { type Product, startProduct } from '../support/product.ts';
import { type Ran, startCommandHost, words } from '../support/command-line.ts';

/** Every command of the operator, called as docs/operate.md writes it, with each of its options. */
let product: Product;
const files = mkdtempSync(join(tmpdir(), 'switchboard-commands-'));
const host = startCommandHost();
beforeAll(async () => {
  product = await startProduct();
  for (const name of ['token', 'secret', 'verify']) writeFileSync(join(files, name), `a-${name}-of-twenty-letters`);
  writeFileSync(join(files, 'contacts.csv'), 'phone,name\n+49 151 23450001,Ada\n');
  writeFileSync(join(files, 'wati.csv'), 'Name,Phone,Allow Broadcast\nBea,4915123450002,TRUE\n');
  writeFileSync(
    join(files, 'card.csv'),
    'Market,Marketing,Utility,Authentication\nGermany,0.1131,0.0456,0.0456\nRest of Europe,0.05,0.01,n/a\n',
  );
  writeFileSync(
    join(files, 'tiers.csv'),
    'Market,Category,From,To,Rate\nGermany,Utility,0,50000,0.0456\nGermany,Utility,50001,MAX,0.0433\n',
  );
  writeFileSync(join(files, 'markets.json'), '{"Rest of Europe":["LI","MC"]}');
  writeFileSync(join(files, 'card.json'), JSON.stringify({ currency: 'EUR', effective_from: '2026-11-01', adjustment: { percent: '5' } }));
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await product.stop();
  rmSync(files, { recursive: true, force: true });
});

/** What the lines below name: ids of what earlier lines made. */
const named = new Map([['settings', JSON.stringify({ otp: { expiry_seconds: 300 } })]]);
/** The lines that were called, as written. */
const called: string[][] = [];
const table = (): string[] => ['--data', product.folder];
const http = (): string[] => ['--url', product.baseUrl, '--token', named.get('token') ?? ''];

async function run(line: string, target: readonly string[]): Promise<Ran> {
  const args = words(line).map((word) =>
    word.replaceAll(/(?<!\{)\{(\w+)\}/g, (_, name: string) => (name === 'files' ? files : (named.get(name) ?? ''))),
  );
  called.push(args);
  return host.run([...args, '--json', ...target]);
}
/** Runs a line that has to succeed; `as` names the id of what it made. */
async function succeed(line: string, as?: string, target = table()): Promise<Record<string, unknown>> {
  const ran = await run(line, target);
  expect({ line, code: ran.code, err: ran.err }).toEqual({ line, code: 0, err: '' });
  const made = z
    .union([z.record(z.string(), z.unknown()), z.array(z.unknown()), z.undefined()])
    .parse(ran.out === '' ? undefined : JSON.parse(ran.out));
  const record = Array.isArray(made) || made === undefined ? {} : made;
  if (as !== undefined) named.set(as, String(record['id']));
  return record;
}

const settings =
  '--timezone Europe/Berlin --plan small --max-contacts 5000 --max-users 5 --max-numbers 2 --max-pipelines 3 --window-policy enforce ' +
  '--query-tokens on --strict-fields off --strict-input off --default-country DE --retention-days 365 --subscribed-by-default off --reminder-minutes 20 --reminder-template none';

/** Lines on the table, in order; a second entry names what the line makes. */
const lines: readonly (readonly [line: string, as?: string])[] = [
  [`companies create --name "Cedar Books" ${settings}`, 'company'],
  ['companies list'],
  ['companies show {company}'],
  [`companies update {company} --name "Cedar Books Ltd" ${settings}`],
  ['companies suspend {company}'],
  ['companies resume {company}'],
  ['users create --company {company} --name "Kim Lee" --email kim@cedar.example --role owner', 'user'],
  ['users list --company {company}'],
  ['users rename {user} --company {company} --name "Kim Lee-Park"'],
  ['users set-role {user} admin --company {company} --even-last-owner'],
  ['users set-role {user} owner --company {company}'],
  ['tokens create --company {company} --user {user} --name "till sync" --days 90 --scopes contacts:read --networks 127.0.0.1', 'made'],
  ['tokens create --company {company} --user {user} --never-expires'],
  ['tokens list --company {company} --user {user}'],
  ['tokens rotate {made} --company {company} --overlap-hours 0'],
  ['tokens revoke {made} --company {company}'],
  ['users deactivate {user} --company {company} --even-last-owner'],
  ['users activate {user} --company {company}'],
  [
    'numbers add --company {company} --phone +4930123456 --phone-number-id 7712 --waba-id 8812 --access-token-file {files}/token --app-secret-file {files}/secret ' +
      '--verify-token-file {files}/verify --provider-version v19.0 --rate 50 --base-url http://127.0.0.1:9',
    'number',
  ],
  ['numbers list --company {company}'],
  [
    'numbers update {number} --company {company} --phone +4930123457 --waba-id 8813 --status active --provider-version v19.0 --rate 60 --base-url http://127.0.0.1:9',
  ],
  ['numbers update {number} --company {company} --no-base-url'],
  ['numbers update {number} --company {company} --default'],
  [
    'numbers rotate-secret {number} --company {company} --access-token-file {files}/token --app-secret-file {files}/secret --verify-token-file {files}/verify',
  ],
  ['numbers rotate-secret {number} --company {company} --remove-app-secret'],
  ['numbers deactivate {number} --company {company}'],
  ['numbers connect 1 --company 1 --pin 482916'],
  ['numbers check 1 --company 1'],
  ['apps add 1045678901234567 --name Ours --app-secret-file {files}/secret'],
  ['apps list'],
  ['apps rotate-secret 1045678901234567 --app-secret-file {files}/secret'],
  // one app has the dialog: that of the demo
  ['apps signup 300000000000001 --off'],
  ['apps signup 1045678901234567 --configuration 1234567890123456 --hosted-url https://example.com/signup'],
  ['apps signup 1045678901234567 --off'],
  ['apps remove 1045678901234567'],
  ['templates sync --company 1'],
  ['templates list --company 1 --status all'],
  ['contacts import {files}/contacts.csv --company 1 --errors {files}/errors.csv --restart'],
  ['contacts import {files}/wati.csv --from wati --company 1'],
  ['contacts export {files}/out.csv --company 1 --force'],
  ['contacts export {files}/raw.csv --company 1 --raw'],
  ['contacts check --company 1 --merge'],
  ['campaigns list --company 1'],
  ['campaigns watch {campaign} --company 1'],
  ['webhook-tokens create --company {company} --receiver webshop --name shop --make-shared-secret', 'receiver'],
  ['webhook-tokens create --company {company} --receiver storeplatform --shared-secret-file {files}/secret'],
  ['webhook-tokens list --company {company}'],
  ['webhook-tokens rotate {receiver} --company {company} --overlap-hours 1'],
  ['webhook-tokens set-secret {receiver} --company {company} --make-shared-secret'],
  ['webhook-tokens set-secret {receiver} --company {company} --shared-secret-file {files}/secret'],
  ['webhook-tokens set-secret {receiver} --company {company} --remove'],
  ['webhook-tokens revoke {receiver} --company {company}'],
  ['erp-tokens create --company {company} --name warehouse --make-shared-secret', 'erp'],
  ['erp-tokens create --company {company} --shared-secret-file {files}/secret'],
  ['erp-tokens list --company {company}'],
  ['erp-tokens rotate {erp} --company {company} --overlap-hours 0'],
  ['erp-tokens set-secret {erp} --company {company} --make-shared-secret'],
  ['erp-tokens set-secret {erp} --company {company} --shared-secret-file {files}/secret'],
  ['erp-tokens set-secret {erp} --company {company} --remove'],
  ['erp-tokens revoke {erp} --company {company}'],
  ['profiles create --company {company} --name "Login" --settings {settings}', 'profile'],
  ['profiles list --company {company}'],
  ['profiles show {profile} --company {company}'],
  ['profiles update {profile} --company {company} --name "Sign-in" --status active --settings {settings}'],
  ['profiles revoke-trust {profile} --company {company} --identifier kim@cedar.example'],
  ['keys create --company {company} --profile {profile} --name page --mode test', 'key'],
  ['keys list --company {company} --profile {profile}'],
  ['keys rotate {key} --company {company} --overlap-hours 1'],
  ['keys deactivate {key} --company {company}'],
  [
    'code-templates create --company {company} --profile {profile} --channel email --purpose login --language en --subject "Your code" --body "It is {{code}}"',
    'words',
  ],
  ['code-templates list --company {company} --profile {profile}'],
  ['code-templates delete {words} --company {company}'],
  [
    'code-templates create --company 1 --profile {demoProfile} --channel whatsapp --provider-template verification_code --language en --purpose demo',
  ],
  ['whitelists create --company {company} --profile {profile} --kind ip --value 203.0.113.0/24 --until 2099-01-01T00:00:00Z', 'entry'],
  ['whitelists list --company {company} --profile {profile}'],
  ['whitelists delete {entry} --company {company}'],
  ['blocks list --company {company} --profile {profile}'],
  ['usage --company {company} --from 2026-11-01 --to 2026-11-30'],
  [
    'rates import {files}/card.csv --currency EUR --from 2026-10-01 --tiers {files}/tiers.csv --markets {files}/markets.json --source Test --force',
  ],
  ['rates import {files}/card.json --company {company}'],
  ['rates reopen 2026-10-01-EUR-1'],
  ['rates reopen 2026-11-01-EUR-1 --company {company}'],
  ['rates list'],
  ['rates check'],
  ['spend settle --company {company}'],
  ['audit --company {company} --limit 5'],
  ['changes list'],
  ['changes retry'],
  ['changes replay --company 1 --since 2026-11-21T12:00:00Z --until 2026-11-21T12:00:01Z'],
  ['dead-letters list --queue sends --most 5'],
  ['dead-letters move --queue sends --most 5'],
  [`recount --company 1 --write --wait 1 --segments 3 --place ${join(files, 'place')}`],
];

describe('every command', () => {
  test('works on the table, with each of its options', async () => {
    const { data: contact } = await product.api.contacts.create({ body: { phone: '+4915123450099' } });
    const templates = await product.api.templates.list({ query: { name: 'hello_world' } });
    const campaign = await product.api.campaigns.create({
      body: { name: 'One', template_id: templates.data[0]?.id ?? 0, contact_id: contact.id },
    });
    named.set('campaign', String(campaign.data.id));
    const [profile] = z.array(z.object({ id: z.string() })).parse(JSON.parse((await run('profiles list --company 1', table())).out));
    named.set('demoProfile', profile?.id ?? '');
    for (const [line, as] of lines) await succeed(line, as);
    expect(await run('dead-letters drop 5fea7756', table())).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no message 5fea7756'),
    });
    // one that finds nothing says so, and the doctor's exit code is its finding
    expect(await run('blocks delete 7 --company {company}', table())).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no block 7'),
    });
    expect(await run('apps release 1045678901234567 1099', table())).toMatchObject({ code: 1, err: expect.stringContaining('not') });
    // the version of the specification has ended, for calls and for webhooks
    expect(await run('doctor --company 1', table())).toMatchObject({
      code: 1,
      err: expect.stringContaining('2 things are wrong.'),
    });
    // the commands of a restore refuse a table that is none (test/change-stream/restore.test.ts walks them)
    for (const line of [
      'restore status',
      'restore apply --since 2026-11-21T12:00:00Z --source switchboard-Table-1 --until 2026-11-21T13:00:00Z',
      'restore open --without-journal',
    ])
      expect(await run(line, table()), line).toMatchObject({ code: 1, err: expect.stringContaining('does not run on a restored table') });

    const leaves = nouns().flatMap((noun) =>
      noun.commands.length === 0
        ? [{ path: [noun.name()], command: noun }]
        : noun.commands.map((command) => ({ path: [noun.name(), command.name()], command })),
    );
    const missing = leaves.flatMap(({ path, command }) => uncalled(path, command));
    expect(missing).toEqual([]);
  });
});

/** The command, or the options of it, that no line called. */
function uncalled(path: readonly string[], command: Command): string[] {
  const calls = called.filter((args) => path.every((word, index) => args[index] === word));
  if (calls.length === 0) return [path.join(' ')];
  const options = command.options.map(({ long }) => long ?? '').filter((option) => !calls.some((args) => args.includes(option)));
  return options.map((option) => `${path.join(' ')} ${option}`);
}

describe('the commands of an account', () => {
  test('call the API with an address and a token, and nothing else', async () => {
    named.set('token', product.demo.companies[0]?.tokens.owner ?? '');
    const over = (line: string, as?: string) => succeed(line, as, http());
    expect(await over('companies show')).toMatchObject({ id: 1, settings: { task_reminder_minutes: 10 } });
    expect(await over('companies update --name "Garden Shop" --reminder-minutes 15')).toMatchObject({ name: 'Garden Shop' });
    const user = await over('users create --name "Robin Roe" --email robin@garden.example --role member', 'user');
    expect(user).toMatchObject({ role: 'member', status: 'active' });
    await over('users list');
    expect(await over('users rename {user} --name "Robin R."')).toMatchObject({ name: 'Robin R.' });
    expect(await over('users set-role {user} viewer')).toMatchObject({ role: 'viewer' });
    const token = await over('tokens create --user {user} --name page --days 5 --scopes contacts:read', 'made');
    expect(token).toMatchObject({ secret: expect.stringMatching(/^swb_/), scopes: ['contacts:read'] });
    expect((await product.http({ method: 'GET', path: '/api/v1/contacts', token: String(token['secret']) })).status).toBe(200);
    await over('tokens list');
    await over('tokens list --user {user}');
    expect(await over('tokens rotate {made} --overlap-hours 0')).toMatchObject({ secret: expect.stringMatching(/^swb_/) });
    expect((await product.http({ method: 'GET', path: '/api/v1/contacts', token: String(token['secret']) })).status).toBe(401);
    expect(await over('tokens revoke {made}')).toMatchObject({ status: 'revoked' });
    expect(await over('users deactivate {user}')).toMatchObject({ status: 'inactive' });
    expect(await over('users activate {user}')).toMatchObject({ status: 'active' });
    const receiver = await over('webhook-tokens create --receiver webshop --make-shared-secret', 'receiver');
    expect(receiver).toMatchObject({ url: expect.stringMatching(/^http.*\/shop\/webhooks\/webshop\//), shared_secret: expect.any(String) });
    await over('webhook-tokens list');
    await over('webhook-tokens rotate {receiver}');
    expect(await over('webhook-tokens set-secret {receiver} --remove')).toMatchObject({ has_shared_secret: false });
    expect(await run('erp-tokens revoke {receiver}', http())).toMatchObject({ code: 1, err: expect.stringContaining('not_found') });
    expect(await over('webhook-tokens revoke {receiver}')).toMatchObject({ status: 'revoked' });
    await over('erp-tokens create --name warehouse', 'erp');
    await over('erp-tokens list');

    const ids = '--phone "+1 555 010 7713" --phone-number-id 7713 --waba-id 8813';
    const number = await over(`numbers add ${ids} --access-token-file {files}/token --app-secret-file {files}/secret`, 'own');
    expect(number).toMatchObject({ phone: '15550107713', base_url: null, verify_token: expect.any(String) });
    await over('numbers list');
    expect(await over('numbers update {own} --rate 20')).toMatchObject({ rate: 20, status: 'active' });
    expect(await over('numbers update {own} --default')).toMatchObject({ is_default: true });
    expect(await over('numbers update 1 --default')).toMatchObject({ is_default: true });
    expect(await over('numbers rotate-secret {own} --remove-app-secret')).toMatchObject({ has_app_secret: false });
    expect(await over('numbers deactivate {own}')).toMatchObject({ status: 'inactive' });
    expect(await run('numbers check {own}', http())).toMatchObject({
      code: 1,
      out: expect.stringContaining('POST /api/v1/numbers/{id}/rotate'),
      err: expect.stringContaining('The number is not ready.'),
    });
    expect((await run('numbers check 1', http())).code).toBe(0);
    expect(await over('numbers connect 1')).toMatchObject({ number: 1, webhook_token: expect.any(Number), findings: expect.any(Array) });
    expect(await run('numbers connect 99', http())).toMatchObject({ code: 1, err: expect.stringContaining('there are 1 (') });
    expect(await over('usage')).toMatchObject({ timezone: 'UTC', totals: { messages: expect.any(Array) } });
    expect(
      z.array(z.object({ action: z.string() })).parse(JSON.parse((await run('audit --limit 120', http())).out)).length,
    ).toBeGreaterThan(20);

    // refusals of the API are those of the command
    expect(await run('users create --name X --email ROBIN@garden.example --role member', http())).toMatchObject({
      code: 1,
      err: expect.stringContaining('validation_failed'),
    });
    for (const [line, reason] of [
      ['users list --company 1', 'a token belongs to one'],
      ['companies list', 'leave out --url and --token'],
      ['users deactivate {user} --even-last-owner', 'the table alone'],
      ['companies update --plan large', 'the table alone'],
      ['numbers update 1 --base-url http://127.0.0.1:9', 'the table alone'],
    ] as const)
      expect(await run(line, http())).toMatchObject({ code: 2, err: expect.stringContaining(reason) });
    expect(await run('users list', ['--url', product.baseUrl])).toMatchObject({
      code: 2,
      err: expect.stringContaining('SWITCHBOARD_TOKEN'),
    });
    expect(await run('users list', ['--token', 'swb_x'])).toMatchObject({ code: 2, err: expect.stringContaining('--url') });
    expect(await run('users list', ['--url', product.baseUrl, '--token', 'swb_wrong'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('token_invalid'),
    });
  });
});

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inspectCompany, inspectSameNames, inspectSharedNumbers } from '../../bin/admin/doctor/company.ts';
import { checkNumber } from '../../functions/administration/service/check-number.ts';
import { createCompany, getCompanyRecord } from '../../functions/account/service/companies.ts';
import { updateAccountFromProvider } from '../../functions/account/service/provider-updates.ts';
import { suspendCompany } from '../../functions/administration/service/suspension.ts';
import { storedTemplate } from '../../functions/templates/contract/stored.ts';
import { createTemplateRow } from '../../functions/templates/store/template.ts';
import { endpointEntity } from '../../functions/webhooks/store/endpoint.ts';
import { newCompany, unwrap } from '../support/company.ts';
import { addNumber, getActiveNumber, updateNumber } from '../../functions/account/service/numbers.ts';
import { authenticate } from '../../shared/access/credential.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { startAccountApp } from '../account/setup.ts';
import { type Ran, runProcess, startCommandHost, words } from '../support/command-line.ts';

const testApp = await startAccountApp();
const folder = mkdtempSync(join(tmpdir(), 'switchboard-admin-'));

beforeAll(() => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(AWS_|TABLE_NAME$|SEALING_|ERASURE_)/.test(name)));
  writeFileSync(
    join(folder, 'runtime.json'),
    JSON.stringify({ pid: process.pid, env: { ...env, PUBLIC_BASE_URL: 'https://shop.example' } }),
  );
});
afterAll(async () => {
  await commands[Symbol.asyncDispose]();
  await testApp.stop();
  rmSync(folder, { recursive: true, force: true });
});

const commands = startCommandHost();
/** One that reads standard input gets a process of its own. */
const admin = (line: string, input?: string): Promise<Ran> => {
  const args = [...words(line), '--data', folder];
  return input === undefined ? commands.run(args) : runProcess(args, { input });
};
const json = async (line: string, input?: string): Promise<Record<string, unknown>> => {
  const { code, out, err } = await admin(`${line} --json`, input);
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out) as Record<string, unknown>;
};

describe('the command line', () => {
  test('creates a company, a user and a token that works; the secret is shown once, with a hint', async () => {
    const company = await json('companies create --name "Cedar Books" --timezone Europe/Berlin --max-users 2');
    expect(company).toMatchObject({ id: 1, name: 'Cedar Books', plan: { name: 'custom', limits: { users: 2, contacts: null } } });
    expect(await json('users create --company 1 --name Kim --email kim@cedar.example --role owner')).toMatchObject({
      id: 1,
      role: 'owner',
    });
    const made = await admin('tokens create --company 1 --user 1 --name "till sync"');
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('It is shown only this once');
    const secret = /swb_\w+/.exec(made.out)?.[0] ?? '';
    expect((await testApp.call({ method: 'GET', path: '/api/v1/me', token: secret })).status).toBe(200);
    const listed = await admin('tokens list --company 1');
    expect(listed.out).toMatch(/^id +user id +name +last4 +status/);
    expect(listed.out).toContain('till sync');
    expect(listed.out).not.toContain(secret);
    const rotated = await json('tokens rotate 1 --company 1 --overlap-hours 0');
    expect((await authenticate(['token'], secret, 'read')).ok).toBe(false);
    expect((await authenticate(['token'], String(rotated['secret']), 'read')).ok).toBe(true);
    expect((await admin('tokens revoke 1 --company 1')).code).toBe(0);
    expect((await authenticate(['token'], String(rotated['secret']), 'read')).ok).toBe(false);
  });

  test('lists as JSON with --json', async () => {
    const records = (await json('companies list')) as unknown as Record<string, unknown>[];
    expect(records).toMatchObject([{ id: 1, status: 'active' }]);
    expect((await admin('companies list')).out).toMatch(/id +name +status +timezone +plan/);
  });

  test('reads provider secrets from standard input or a file, never from an argument', async () => {
    const add = 'numbers add --company 1 --phone "+1 555 010 0001" --phone-number-id 1055 --waba-id 2066';
    const number = await json(add, 'EAA-access\napp-secret\n');
    expect(number).toMatchObject({ id: 1, phone: '15550100001', has_app_secret: true, verify_token: expect.any(String) });
    const stored = await getActiveNumber(1);
    expect([await stored?.accessToken(), await stored?.appSecret()]).toEqual(['EAA-access', 'app-secret']);
    const file = join(folder, 'token');
    writeFileSync(file, 'EAA-new\n');
    await json(`numbers rotate-secret 1 --company 1 --access-token-file ${file}`);
    expect(await (await getActiveNumber(1))?.accessToken()).toBe('EAA-new');
    expect(await admin(`${add} --access-token EAA`)).toMatchObject({ code: 2, err: expect.stringContaining('unknown option') });
    expect(await admin(add, '\n')).toMatchObject({ code: 2, err: expect.stringContaining('--access-token-file') });
  });

  test('creates webhook, ERP and verification credentials that work', async () => {
    const webhook = await json('webhook-tokens create --company 1 --receiver webshop --make-shared-secret');
    expect(webhook).toMatchObject({
      receiver: 'webshop',
      url: `https://shop.example/shop/webhooks/webshop/${String(webhook['secret'])}`,
      shared_secret: expect.any(String),
    });
    expect((await authenticate(['webhook_token'], String(webhook['secret']), 'receiver')).ok).toBe(true);
    const setSecret = `webhook-tokens set-secret ${String(webhook['id'])} --company 1`;
    const other = await json(`${setSecret} --make-shared-secret`);
    expect(other).toMatchObject({ id: webhook['id'], has_shared_secret: true, shared_secret: expect.any(String) });
    expect(other['shared_secret']).not.toBe(webhook['shared_secret']);
    expect((await json(`${setSecret} --remove`))['has_shared_secret']).toBe(false);
    const erp = await json('erp-tokens create --company 1 --name till');
    expect((await authenticate(['erp_token'], String(erp['secret']), 'erp')).ok).toBe(true);
    const profile = await json('profiles create --company 1 --name Login');
    const key = await json('keys create --company 1');
    expect(key).toMatchObject({ profile_id: profile['id'], secret_key: expect.stringMatching(/^sk_live_/) });
    await json(`keys deactivate ${String(key['id'])} --company 1`);
    expect((await authenticate(['secret_key'], String(key['secret_key']), 'read')).ok).toBe(false);
  });

  test('suspends and resumes', async () => {
    const { secret } = await json('tokens create --company 1 --user 1 --never-expires');
    const me = async (): Promise<number> => (await testApp.call({ method: 'GET', path: '/api/v1/me', token: String(secret) })).status;
    expect(await me()).toBe(200);
    await json('companies suspend 1');
    expect(await me()).toBe(403);
    await json('companies resume 1');
    expect(await me()).toBe(200);
  });

  test('uses the shifted clock of the local product', async () => {
    writeFileSync(join(folder, 'clock.json'), JSON.stringify({ offset_ms: 400 * dayMs }));
    const token = await json('tokens create --company 1 --user 1 --days 1');
    rmSync(join(folder, 'clock.json'));
    expect(Date.parse(String(token['expires_at'])) - Date.now()).toBeGreaterThan(400 * dayMs);
  });

  test.each([
    ['a company that there is not', 'users list --company 7', 1, 'There is no company 7; there is 1 (Cedar Books).'],
    ['a person that there is not', 'tokens create --company 1 --user 9', 1, 'There is no user 9 in company 1; there is 1 (Kim).'],
    [
      'an address that is taken',
      'users create --company 1 --name K --email KIM@cedar.example --role admin',
      1,
      'email: Another user of this company',
    ],
    ['a field that does not fit', 'companies create --name X --timezone Mars/Base', 1, 'timezone: Must be an IANA time zone'],
    ['a life out of bounds', 'tokens create --company 1 --user 1 --days 400', 1, '--days: Must be at most 365 days.'],
    ['no company', 'users list', 2, 'Name the company with --company <id>'],
    ['an id that is none', 'users list --company abc', 2, 'It must be a positive whole number.'],
    ['a role that there is not', 'users set-role 1 king --company 1', 2, 'Allowed choices are viewer, member, admin, owner.'],
    ['a scope that there is not', 'tokens create --company 1 --user 1 --scopes fly', 2, 'There is no scope "fly"'],
    ['a noun that there is not', 'planets list', 2, "unknown command 'planets'"],
    ['a verb too few', 'companies', 2, 'Usage: admin companies'],
    ['two targets', 'companies list --stack a --table b', 2, 'not both'],
  ])('explains the error of %s', async (_, line, code, sentence) => {
    const ran = await admin(line);
    expect(ran.err).toContain(sentence);
    expect(ran).toMatchObject({ code, out: '' });
  });

  test('takes --profile as the verification profile, which no global option swallows', async () => {
    const other = await json('profiles create --company 1 --name Other');
    const key = await json(`keys create --company 1 --profile ${String(other['id'])}`);
    expect(key['profile_id']).toBe(other['id']);
    expect((await json(`keys list --company 1 --profile ${String(other['id'])}`)) as unknown).toHaveLength(1);
  });

  test.each([
    ['a refusal', 'users list --company 7', 1, { code: 'not_found', message: expect.stringContaining('There is no company 7') }],
    [
      'fields',
      'companies create --name X --timezone Mars/Base',
      1,
      { code: 'validation_failed', errors: { timezone: [expect.any(String)] } },
    ],
    ['wrong usage', 'users list', 2, { code: 'usage', message: expect.stringContaining('--company') }],
    ['an unknown option', 'companies list --planet', 2, { code: 'usage', message: expect.stringContaining('--planet') }],
  ])('with --json answers %s with one object on standard error', async (_, line, code, error) => {
    const ran = await admin(`${line} --json`);
    expect(ran).toMatchObject({ code, out: '' });
    expect(JSON.parse(ran.err)).toMatchObject({ error });
  });

  test('warns before the last owner goes, and lets a deactivated user back in', async () => {
    for (const line of ['users deactivate 1', 'users set-role 1 admin'])
      expect(await admin(`${line} --company 1`)).toMatchObject({ code: 1, err: expect.stringContaining('--even-last-owner') });
    const { id } = await json('users create --company 1 --name Ada --email ada@cedar.example --role owner');
    expect(await json('users deactivate 1 --company 1')).toMatchObject({ status: 'inactive' });
    expect(await json('users activate 1 --company 1')).toMatchObject({ status: 'active' });
    expect(await json('users rename 1 --company 1 --name "Kim Lee"')).toMatchObject({ name: 'Kim Lee' });
    expect(await json(`users set-role ${String(id)} admin --company 1`)).toMatchObject({ role: 'admin' });
    expect(await json(`users deactivate ${String(id)} --company 1 --even-last-owner`)).toMatchObject({ status: 'inactive' });
    await json('users rename 1 --company 1 --name Kim');
  });

  test('refuses an update that changes nothing', async () => {
    expect(await admin('companies update 1')).toMatchObject({ code: 2, err: expect.stringContaining('Give at least one option') });
  });

  test('knows every command and option that docs/operate.md names', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/operate.md'), 'utf8');
    const lines = [...page.matchAll(/npm run admin -- ([^`\n|]*)/g)].map(([, line = '']) => line);
    const calls = [...new Set(lines.map((line) => line.replace(/^(--\S+ \S+ )+/, '')))].filter((line) => /^[a-z]/.test(line));
    expect(calls.length).toBeGreaterThan(8);
    for (const call of calls) {
      const [noun = '', verb = ''] = call.split(' ');
      const { code, out } = await admin(`${noun} ${/^[a-z-]+$/.test(verb) && !verb.startsWith('-') ? verb : ''} --help`);
      expect(code, call).toBe(0);
      for (const [option] of call.matchAll(/--[a-z-]+/g)) expect(out, call).toContain(option);
    }
  });

  test('explains when no product runs', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'switchboard-admin-'));
    const list = ['companies', 'list', '--data', empty];
    expect(await runProcess(list)).toMatchObject({ code: 2, err: expect.stringContaining('npm run dev') });
    writeFileSync(join(empty, 'runtime.json'), JSON.stringify({ pid: 2 ** 22 - 3, env: {} }));
    expect(await commands.run(list)).toMatchObject({ code: 1, err: expect.stringContaining('not running') });
    rmSync(empty, { recursive: true });
  });

  /** Runs it for a deployed stack, whose outputs a fake aws command answers. */
  const onStack = async (line: string, outputs: Readonly<Record<string, string>>): Promise<Ran> => {
    const bin = mkdtempSync(join(tmpdir(), 'switchboard-aws-'));
    const answer = { Stacks: [{ Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })) }] };
    writeFileSync(join(bin, 'aws'), `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`, { mode: 0o755 });
    const aws = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('AWS_')));
    const ran = await commands.run([...line.split(' '), '--stack', 'demo'], { PATH: `${bin}:/usr/bin:/bin`, ...aws });
    rmSync(bin, { recursive: true });
    return ran;
  };

  test('names the region that is missing, without a stack trace', async () => {
    const env = { PATH: '/usr/bin:/bin', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y', AWS_CONFIG_FILE: join(folder, 'none') };
    expect(await runProcess(['companies', 'list', '--table', 'bar'], { env })).toMatchObject({
      code: 1,
      out: '',
      err: 'No AWS region is known: name it with --region, or set AWS_REGION.\n',
    });
  });

  test('reads a deployed stack through the aws command', async () => {
    const ran = await onStack('companies list', { TableName: 'no-such-table' });
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('no such table') });
    expect((await onStack('companies list', {})).err).toContain('The stack demo has no output TableName');
  });

  test('prints whole addresses of receivers from the outputs of the stack, with one slash between', async () => {
    const outputs = {
      TableName: process.env['TABLE_NAME'] ?? '',
      SealingSecretArn: process.env['SEALING_SECRET_ID'] ?? '',
      ApiUrl: 'https://api.example',
      MessagingWebhookBase: 'https://m.lambda-url.eu-central-1.on.aws',
      ShopWebhookBase: 'https://s.lambda-url.eu-central-1.on.aws/',
    };
    const urls = {
      messaging: 'https://m.lambda-url.eu-central-1.on.aws/webhook/messaging/receive/',
      logistics: 'https://s.lambda-url.eu-central-1.on.aws/shop/webhooks/logistics/',
    };
    for (const [receiver, url] of Object.entries(urls)) {
      const { out } = await onStack(`webhook-tokens create --company 1 --receiver ${receiver} --json`, outputs);
      const { secret, ...made } = JSON.parse(out) as { secret: string };
      expect(made).toMatchObject({ url: `${url}${secret}` });
    }
    // a stack of an earlier version has no output for it: the API serves every receiver too
    const { out } = await onStack('erp-tokens create --company 1 --name press --json', outputs);
    expect(JSON.parse(out)).toMatchObject({ url: expect.stringMatching(/^https:\/\/api\.example\/shop\/webhooks\/custom\//) });
  });

  test.each(['', 'companies', 'companies create', 'users create', 'tokens rotate', 'numbers add', 'webhook-tokens create', 'keys rotate'])(
    'helps with "%s", examples included',
    async (line) => {
      const { code, out } = await admin(`${line} --help`);
      expect(code).toBe(0);
      expect(out).toMatch(/Examples:\n {2}npm run admin -- /);
    },
  );

  test('writes no secret to files', () => {
    expect(statSync(join(folder, 'runtime.json')).isFile()).toBe(true);
    expect(readFileSync(join(folder, 'runtime.json'), 'utf8')).not.toContain('swb_');
  });
});

describe('doctor on a company', () => {
  beforeAll(() => void vi.stubEnv('PROVIDER_BASE_URL', 'http://127.0.0.1:9'));
  afterAll(() => void vi.unstubAllEnvs());
  const found = async (companyId: number): Promise<string[]> =>
    (await inspectCompany(unwrap(await getCompanyRecord(companyId)))).flatMap(({ findings }) =>
      findings.flatMap(({ level, message, remedy }) =>
        level === 'ok' ? [] : [`${level}: ${message} -> ${(remedy ?? '').length > 5 ? 'remedy' : ''}`],
      ),
    );

  test('says everything that a new one lacks, and that it is suspended', async () => {
    const { id } = unwrap(await createCompany({ name: 'Empty' }));
    expect(await found(id)).toEqual([
      expect.stringMatching(/^doubtful: The company has no owner.*remedy$/),
      expect.stringMatching(/^wrong: The company has no active number.*remedy$/),
      expect.stringMatching(/^wrong: The company has no active webhook token.*remedy$/),
      expect.stringMatching(/^doubtful: The company has no approved template.*remedy$/),
    ]);
    const { id: had } = await newCompany();
    unwrap(await updateNumber(had, 1, { status: 'inactive' }));
    const [company] = await inspectCompany(unwrap(await getCompanyRecord(had)));
    expect(company?.findings).toMatchObject([
      { message: expect.stringContaining('no active number'), remedy: 'numbers update 1 --status active.' },
      {},
    ]);
    unwrap(await suspendCompany(id));
    expect((await found(id))[0]).toMatch(/^doubtful: The company is suspended.*remedy$/);
  });

  test('says which companies have one name, and that a number is inactive', async () => {
    const companies = await Promise.all(['Oak Ltd', 'oak ltd ', 'Elm'].map(async (name) => unwrap(await createCompany({ name }))));
    const [first, second, third] = companies.map(({ id }) => id);
    expect(inspectSameNames(companies, first)).toMatchObject([
      { findings: [{ level: 'doubtful', message: expect.stringContaining(`${first} and ${second}`), remedy: expect.any(String) }] },
    ]);
    expect(inspectSameNames(companies, third)).toEqual([]);
    const { id } = await newCompany();
    unwrap(await updateNumber(id, 1, { status: 'inactive' }));
    expect(unwrap(await checkNumber(id, 1))).toContainEqual({
      level: 'doubtful',
      message: 'The number is inactive and sends nothing.',
      remedy: 'Set its status to active.',
    });
  });

  test('says which number at the provider is active in two companies', async () => {
    const [first, second] = [await newCompany(), await newCompany()];
    const companies = await Promise.all([first, second].map(async ({ id }) => unwrap(await getCompanyRecord(id))));
    expect(await inspectSharedNumbers(companies)).toEqual([]);
    const { phoneNumberId } = first.number;
    const added = { phone: '+4930987654', phone_number_id: phoneNumberId, waba_id: '8814', access_token: 'EAAG-shared-number-token-0001' };
    const { number } = unwrap(await addNumber(second.id, added));
    expect(await inspectSharedNumbers(companies, first.id)).toMatchObject([
      { findings: [{ level: 'wrong', message: expect.stringContaining(`${first.id} and ${second.id}`), remedy: expect.any(String) }] },
    ]);
    unwrap(await updateNumber(second.id, number.id, { status: 'inactive' }));
    expect(await inspectSharedNumbers(companies)).toEqual([]);
  });

  test('says what the provider announced of its number and templates, and which endpoints fail', async () => {
    const { id, number } = await newCompany();
    const times = { statusAt: 0, rev: 1, createdAt: 0, updatedAt: 0 };
    const template = {
      companyId: id,
      name: 'sale',
      language: 'en',
      category: 'UTILITY',
      status: 'APPROVED',
      parameterFormat: 'POSITIONAL',
    };
    const announced = { disableAt: 4e12, upcomingCategory: { category: 'MARKETING', at: 4e12 }, components: [] };
    await createTemplateRow(storedTemplate.parse({ ...template, ...times, ...announced, id: 1 }), undefined);
    await updateAccountFromProvider(id, number.wabaId, { restrictions: [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', until: 4e12 }] });
    const endpoint = {
      companyId: id,
      url: 'https://hooks.example/x',
      events: ['*'],
      sealedSecret: 'x',
      createdBy: 'x',
      createdAt: 0,
      updatedAt: 0,
    };
    await endpointEntity.put({ ...endpoint, id: 1, status: 'disabled', disabledReason: 'failing' });
    await endpointEntity.put({ ...endpoint, id: 2, status: 'active', failingSince: 1 });
    await endpointEntity.put({ ...endpoint, id: 3, status: 'disabled', disabledReason: 'by_user' });
    expect(await found(id)).toEqual([
      expect.stringMatching(/^doubtful: The provider disables the template sale \(en\) on 2096-.*remedy$/),
      expect.stringMatching(/^doubtful: The template sale \(en\) becomes MARKETING on 2096-.*it is UTILITY now.*remedy$/),
      expect.stringMatching(/^doubtful: The webhook endpoint 1 was disabled \(failing\).*remedy$/),
      expect.stringMatching(/^doubtful: The webhook endpoint 2 has been failing since 1970-.*remedy$/),
      expect.stringMatching(/^wrong: The provider restricts the number: RESTRICTED_BIZ_INITIATED_MESSAGING until 2096-.*remedy$/),
      expect.stringMatching(/^wrong: The provider does not answer from here.*remedy$/),
    ]);
  });
});

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { product } from './product.ts';

/** What the guides say is tried: every shell block that calls the API, in order, against the running product. */
const folder = join(import.meta.dirname, '../../../docs/guides');
// the guide to webhooks is tried by test/webhooks/receiver.test.ts: its endpoint must be public
const guides = readdirSync(folder).filter((name) => !name.includes('webhooks'));

let reader: Record<string, string> | undefined;

const blocksOf = (guide: string): string[] =>
  [...readFileSync(join(folder, guide), 'utf8').matchAll(/```sh\n(.*?)```/gs)]
    .map(([, block = '']) => block)
    .filter((block) => /curl/.test(block));

export const guidesOnLaptop = (): void => {
  test.each(guides)('%s does what it says', async (guide) => {
    const blocks = blocksOf(guide);
    expect(blocks.length).toBeGreaterThan(0);
    const known = { ...(reader ??= await knownToReader()) };
    for (const block of blocks) {
      if (block.includes('$CODE')) known['CODE'] = await codeThatCame();
      // what an answer holds, the next command may name: request_id as $REQUEST_ID
      Object.assign(known, ...(await shell(block, known)).map(scalars));
    }
  });
};

/** What a user has who reads a guide: addresses and keys from their operator, a group and an approved template. */
async function knownToReader(): Promise<Record<string, string>> {
  const [company] = product.demo.companies;
  if (!company) throw new Error('There is no demo company.');
  const templates = await product.asOwner({ method: 'GET', path: '/api/v1/templates', query: { name: 'spring_sale' } });
  const [template] = z.object({ data: z.array(z.looseObject({ id: z.int() })).min(1) }).parse(templates.body).data;
  const made = await product.asOwner({ method: 'POST', path: '/api/v1/groups', body: { name: 'Friends' } });
  const group = z.object({ data: z.looseObject({ id: z.int() }) }).parse(made.body).data;
  await product.asOwner({ method: 'POST', path: '/api/v1/contacts', body: { phone: '+4915123456789', name: 'Ada', groups: ['Friends'] } });
  // the reader's own number, as the provider has it before it is connected here
  const own = { waba_id: '9202', phone_number_id: '9201', access_token: 'EAA-of-the-reader', app_secret: 'secret-of-the-reader' };
  const display = { company_id: company.id, display_phone_number: '+15550109010', webhook_url: '' };
  const put = await product.control('PUT', 'provider/numbers', { ...own, ...display });
  expect(put.status, put.raw).toBe(200);
  return {
    PHONE_NUMBER_ID: own.phone_number_id,
    WABA_ID: own.waba_id,
    ACCESS_TOKEN: own.access_token,
    APP_SECRET: own.app_secret,
    BASE: product.baseUrl,
    TOKEN: company.tokens.owner,
    TEMPLATE_ID: String(template?.id),
    GROUP_ID: String(group.id),
    ERP_TOKEN: company.shop.erp_token,
    PUBLIC_KEY: company.verification.public_key,
    SECRET_KEY: company.verification.secret_key,
  };
}

/** The code in the newest message that the provider has. */
export async function codeThatCame(): Promise<string> {
  const sent = z.object({ data: z.array(z.unknown()) });
  let code: string | undefined;
  await expect
    .poll(async () => {
      const { data } = sent.parse((await product.control('GET', 'provider/messages')).body);
      code = /"text":"(\d{4,8})"/.exec(JSON.stringify(data.at(-1) ?? null))?.[1];
      return code;
    })
    .toBeDefined();
  return code ?? '';
}

/** Runs a block, and gives its answers that are JSON: each stands in a line of its own. An answer that is no 2xx fails with its body. */
function shell(block: string, known: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-ec', `curl() { command curl --fail-with-body -w '\\n' "$@"; }\n${block}`], {
      env: { PATH: process.env['PATH'] ?? '', ...known },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr.on('data', (data: Buffer) => (output += data.toString()));
    child.once('close', (status) =>
      status === 0
        ? resolve(output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as unknown] : [])))
        : reject(new Error(`${block}\n${output}`)),
    );
  });
}

function scalars(answer: unknown): Record<string, string> {
  const { data, ...more } = z.looseObject({ data: z.unknown().optional() }).parse(answer);
  const fields = { ...more, ...(typeof data === 'object' && !Array.isArray(data) ? data : {}) };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name.toUpperCase(), String(value)]] : [],
    ),
  );
}

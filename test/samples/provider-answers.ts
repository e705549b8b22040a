import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { placeholdersOf } from '../../functions/templates/contract/parameters.ts';
import { mediaDescription } from '../../functions/media/gateway.ts';
import { startProvider } from '../../lib/local/provider/provider.ts';
import { templateEdit } from '../../lib/local/provider/schemas.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import type { Level, Sample } from './run.ts';

/**
 * Recorded answers of the provider. Those that the product requests come back to it as the answer to its own call, and their effect is
 * seen through the API; of the others the simulator must give what was recorded, so that it can stand for the provider.
 */
export const answerChecks: readonly [name: RegExp, check: (sample: Sample) => Promise<Level> | Level][] = [
  [/^template_create_response/, created],
  [/^template_delete_response/, deleted],
  [/^template_list_/, listed],
  [/^template_edit_components_request\.json$/, ({ body }) => (templateEdit.parse(body) ? 'simulator' : 'effect')],
  [/^template_preview_/, previewed],
  [/^template_upsert_.*_response\.json$/, ({ body }) => resembles(body, 'POST', '/{waba}/upsert_message_templates', upsert)],
  [/^template_namespace_response/, ({ body }) => resembles(body, 'GET', '/{waba}?fields=message_template_namespace')],
  [/^phone_numbers_list_response/, ({ body }) => resembles(body, 'GET', '/{waba}/phone_numbers')],
  [/^phone_number_webhook_configuration_/, ({ body }) => resembles(body, 'GET', '/{number}?fields=webhook_configuration')],
  [/^resumable_upload_session_/, ({ body }) => resembles(body, 'POST', '/app/uploads?file_type=image/png&file_length=10')],
  [/^media_get_url_response/, described],
];

const template = z.looseObject({
  id: z.int(),
  name: z.string(),
  language: z.string(),
  status: z.string(),
  provider_template_id: z.string().nullable(),
});
const one = z.object({ data: template });
const many = z.object({ data: z.array(template) });

const draft = { name: 'sample', language: 'en', category: 'UTILITY', components: [{ type: 'BODY', text: 'Your order has shipped.' }] };

/** A create that is answered so becomes a template of that id and status. */
async function created({ testApp, stub, body }: Sample): Promise<Level> {
  const company = await newCompany();
  const { id, status } = z.looseObject({ id: z.string(), status: z.string() }).parse(body);
  const shown = await withAnswer(stub, 'POST', body, () => call(testApp, company, 'POST', '/templates', draft));
  const { data } = one.parse(ok(shown).body);
  expectThat(data.status === status && data.provider_template_id === id, `became ${JSON.stringify(data)}`);
  return 'effect';
}

/** A delete that is answered so leaves no template. */
async function deleted({ testApp, stub, body }: Sample): Promise<Level> {
  const company = await newCompany();
  const { data } = one.parse(ok(await call(testApp, company, 'POST', '/templates', draft)).body);
  ok(await withAnswer(stub, 'DELETE', body, () => call(testApp, company, 'DELETE', `/templates/${data.id}`)));
  const gone = await call(testApp, company, 'GET', `/templates/${data.id}`);
  expectThat(gone.status === 404, `the template is still there: ${gone.status}`);
  return 'effect';
}

/** A page that the sync reads: each whole template is there as it is shown; one that lacks its language is none, and harms nothing. */
async function listed({ testApp, stub, body }: Sample): Promise<Level> {
  const company = await newCompany();
  const { paging: _paging, ...page } = z
    .looseObject({ data: z.array(z.looseObject({ name: z.string(), language: z.string().optional(), status: z.string() })) })
    .parse(body);
  ok(await withAnswer(stub, 'GET', page, () => call(testApp, company, 'POST', '/templates/sync')));
  const { data } = many.parse(ok(await call(testApp, company, 'GET', '/templates?status=all')).body);
  const whole = page.data.filter(({ language }) => language !== undefined);
  expectThat(data.length === whole.length, `${data.length} templates of ${whole.length} are there`);
  for (const { name, language, status } of whole)
    expectThat(
      data.some((each) => each.name === name && each.language === language && each.status === status),
      `${name} is not as it was shown`,
    );
  return 'effect';
}

/** The texts that the provider gives to codes have one placeholder in every language: what a send of one fills. */
function previewed({ body }: Sample): Level {
  const { data } = z.looseObject({ data: z.array(z.looseObject({ body: z.string() })).min(1) }).parse(body);
  for (const each of data)
    expectThat(placeholdersOf(each.body).join() === '1', `the text has the placeholders ${placeholdersOf(each.body).join()}`);
  return 'effect';
}

/** What the product reads of a file's description: where it is, and what. */
function described({ body }: Sample): Level {
  const { url, mime_type: mime, sha256 } = mediaDescription.parse(body);
  expectThat(url !== '' && mime !== undefined && sha256 !== undefined, 'has no address, type or hash');
  return 'effect';
}

const upsert = {
  name: 'codes',
  languages: ['en_US', 'es_ES', 'fr'],
  category: 'AUTHENTICATION',
  components: [
    { type: 'BODY', add_security_recommendation: true },
    { type: 'FOOTER', code_expiration_minutes: 10 },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
  ],
};

/** The simulator's answer has every field of the recorded one, with values of the same kind. */
async function resembles(recorded: unknown, method: string, path: string, body?: unknown): Promise<Level> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-samples-'));
  const provider = await startProvider({ dataDir, log: () => undefined });
  try {
    const number = {
      phone_number_id: '106540352242922',
      waba_id: '102290129340398',
      access_token: 'token',
      display_phone_number: '15550001111',
    };
    const hook = { app_secret: 'secret', webhook_url: 'http://127.0.0.1:9/none', verify_token: 'verify', company_id: 1 };
    await provider.control('PUT', '/_local/provider/numbers', { ...number, ...hook });
    const place = path.replace('{waba}', number.waba_id).replace('{number}', number.phone_number_id);
    const answer = await fetch(`${provider.url}/v19.0${place}`, {
      method,
      headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const given: unknown = await answer.json();
    const missing = missingIn(recorded, given, '');
    expectThat(
      answer.status === 200 && missing.length === 0,
      `the simulator answers ${answer.status}, without ${missing.join(', ') || 'anything'}`,
    );
    return 'simulator';
  } finally {
    await provider.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Paths of what is in one and not, or of another kind, in the other; of lists the first elements are held together. */
function missingIn(recorded: unknown, given: unknown, path: string): string[] {
  if (Array.isArray(recorded)) return Array.isArray(given) && given.length > 0 ? missingIn(recorded[0], given[0], `${path}[0]`) : [path];
  if (typeof recorded !== 'object' || recorded === null) return typeof recorded === typeof given ? [] : [path];
  if (typeof given !== 'object' || given === null) return [path];
  // where a number has an address of its own is its business
  return Object.entries(recorded)
    .filter(([name]) => name !== 'paging' && path !== '.webhook_configuration')
    .flatMap(([name, value]) => missingIn(value, Reflect.get(given, name), `${path}.${name}`));
}

async function withAnswer(stub: Sample['stub'], method: string, body: unknown, work: () => Promise<Answer>): Promise<Answer> {
  stub.answering((request) => (request.method === method ? { status: 200, body } : undefined));
  try {
    return await work();
  } finally {
    stub.answering(undefined);
  }
}

const call = (testApp: Sample['testApp'], company: TestCompany, method: string, path: string, body?: unknown): Promise<Answer> =>
  testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) });

function ok(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`was answered ${answer.status} ${answer.raw}`);
  return answer;
}

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

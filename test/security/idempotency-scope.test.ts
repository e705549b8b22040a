import { afterAll, expect, test } from 'vitest';
import * as z from 'zod';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import { app } from '../../functions/app.ts';
import type { RouteSpec } from '../../shared/contract/route.ts';
import { attack } from '../support/attack.ts';
import { unwrap } from '../support/company.ts';
import { startFixture } from '../verification/fixture.ts';
import { jsonSchemaOf } from '../../lib/generate/json-schema.ts';

const fixture = await startFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const { testApp } = fixture;

const reused = [409, { code: 'idempotency_key_reused' }];
let keys = 0;
const newKey = (): string => `same-key-${++keys}`;

const request = (publicKey: string, idempotencyKey: string, identifier: string, ip: string) =>
  testApp.call({
    method: 'POST',
    path: '/api/v1/verification/request',
    headers: { 'x-public-key': publicKey, 'idempotency-key': idempotencyKey },
    body: { identifier },
    sourceIp: ip,
  });

attack(
  'a caller with the key of another profile gets no answer of the first one',
  [{ in: 'shared/http/idempotency.ts', replace: '...request, ...callerScope(exchange)', by: '...request' }],
  async () => {
    const { company, publicKey } = await fixture.newCaller({}, ['member', 'admin']);
    const other = unwrap(await createProfile(company.id, { name: 'Checkout', settings_json: {} }));
    const { public_key } = unwrap(await issueKey(company.id, other.id, {}));
    const [key, phone] = [newKey(), fixture.newPhone()];
    const first = await request(publicKey, key, phone, '192.0.2.201');
    expect(first.status).toBe(200);
    const second = await request(public_key, key, phone, '192.0.2.202');
    expect([second.status, second.body]).toMatchObject(reused);
    expect((await request(publicKey, key, phone, '192.0.2.201')).raw).toBe(first.raw);
  },
);

attack(
  'a caller with another public key of the same profile gets no answer of the first one',
  [{ in: 'shared/http/idempotency.ts', replace: "principal.credentialKind === 'public_key' ? principal.credentialId : 0", by: '0' }],
  async () => {
    const { company, profileId, publicKey } = await fixture.newCaller({}, ['member', 'admin']);
    const { public_key } = unwrap(await issueKey(company.id, profileId, {}));
    const [key, phone] = [newKey(), fixture.newPhone()];
    expect((await request(publicKey, key, phone, '192.0.2.203')).status).toBe(200);
    const second = await request(public_key, key, phone, '192.0.2.204');
    expect([second.status, second.body]).toMatchObject(reused);
  },
);

attack(
  'another user gets no verification code of the first one, and the first one gets the same again',
  [
    [
      { in: 'functions/crm/contract/preference.ts', replace: 'isOwnRecord: true,', by: '' },
      // a secret belongs to its user anyway
      { in: 'shared/http/idempotency.ts', replace: " || (route.secret && route.caller.kind === 'token')", by: '' },
    ],
    [
      { in: 'functions/crm/contract/preference.ts', replace: 'secret: true,', by: '' },
      // every kept answer is encrypted with its key as well, which alone would hide the code
      { in: 'shared/http/idempotency.ts', replace: "encrypt(keyOf(event) ?? '', body)", by: 'body' },
      { in: 'shared/http/idempotency.ts', replace: 'decrypt(key, body)', by: 'body' },
    ],
  ],
  async () => {
    const { company } = await fixture.newCaller({}, ['member', 'admin']);
    const enrolled = z.object({ data: z.object({ verification: z.object({ code: z.string() }) }) });
    const [key, number] = [newKey(), '+4915190000001'];
    const replace = (token: string) =>
      testApp.call({
        method: 'PUT',
        path: '/api/v1/crm/automation/preferences',
        token,
        headers: { 'idempotency-key': key },
        body: { work_number: number, opted_in: true },
      });
    const first = await replace(company.tokens.member);
    const { code } = enrolled.parse(first.body).data.verification;
    const second = await replace(company.tokens.admin);
    expect([second.status, second.body]).toMatchObject(reused);
    expect(second.raw).not.toContain(code);
    expect((await replace(company.tokens.member)).raw).toBe(first.raw);
    expect(JSON.stringify(await testApp.dump())).not.toContain(code);
  },
);

attack(
  'an admin who sends the key and body of an owner gets no secret that was issued to the owner',
  [{ in: 'shared/http/idempotency.ts', replace: " || (route.secret && route.caller.kind === 'token')", by: '' }],
  async () => {
    const { company } = await fixture.newCaller({}, ['admin']);
    const key = newKey();
    const issue = (token: string) =>
      testApp.call({
        method: 'POST',
        path: '/api/v1/tokens',
        token,
        headers: { 'idempotency-key': key },
        body: { user_id: company.users.owner, name: 'Build' },
      });
    const first = await issue(company.tokens.owner);
    const { secret } = z.object({ data: z.object({ secret: z.string() }) }).parse(first.body).data;
    const second = await issue(company.tokens.admin);
    expect([second.status, second.body]).toMatchObject(reused);
    expect(second.raw).not.toContain(secret);
    expect((await issue(company.tokens.owner)).raw).toBe(first.raw);
  },
);

const routes = app.flatMap(({ functions }) =>
  functions.flatMap((spec) => (spec.trigger === 'http' ? Object.entries<RouteSpec>(spec.routes) : [])),
);
/** Properties of answers that open something: a signed URL, a token, a secret, a link with a code. Most named `code` open nothing. */
const opening = /^(upload_url|upload|errors_url|secret|token|secret_key|trust_key|wa_link)$/;

test.each(
  routes.flatMap(([name, route]) =>
    route.effect === 'write' && route.caller.kind !== 'public' && secretsOf(route).length > 0
      ? [[name, secretsOf(route).join(', '), route] as const]
      : [],
  ),
)('a reader of the table finds the answer of %s sealed (%s)', (_, __, route) => expect(route.secret).toBe(true));

function secretsOf(route: RouteSpec): string[] {
  const found = new Set<string>();
  for (const schema of Object.values(route.answers)) {
    if (schema instanceof z.ZodUndefined) continue;
    visit(jsonSchemaOf(schema), found);
  }
  return [...found];
}

function visit(node: unknown, found: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  const properties = (node as { properties?: Record<string, unknown> }).properties ?? {};
  for (const [name, value] of Object.entries(properties))
    if (opening.test(name)) found.add(name);
    else visit(value, found);
  for (const [name, value] of Object.entries(node)) if (name !== 'properties') visit(value, found);
}

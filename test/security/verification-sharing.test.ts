import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attack } from '../support/attack.ts';
import type { Answer } from '../support/gateway-event.ts';
import { inboundText } from '../support/company.ts';
import { seeded } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';
import { type Caller, field, type Fixture, startFixture } from '../verification/fixture.ts';

/** Verification belongs to who proved it: a thief who requests the victim's identifier gets nothing of what the victim proves. */
let fixture: Fixture;
let caller: Caller;
beforeAll(async () => {
  fixture = await startFixture({ env: { PUBLIC_BASE_URL: 'https://api.example.com' } });
  caller = await fixture.newCaller({ velocity: { max_identifiers: 1_000 }, ceilings: { per_hour: 100_000, per_day: 100_000 } });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const requester = 'functions/verification/domain/requester.ts';
const sharedMend = { in: requester, replace: 'request.isShared !== true && ', by: '' };
const labelMend = { in: requester, replace: 'pending.label === call.label ? pending.label : undefined', by: 'pending.label' };

interface Party {
  ip: string;
  /** The public key, unless the party is the company's server. */
  headers: Record<string, string>;
  body: Record<string, unknown>;
}
const app = (ip: string, body: Record<string, unknown> = {}): Party => ({ ip, headers: { 'x-public-key': caller.publicKey }, body });
const server = (body: Record<string, unknown> = {}): Party => ({ ip: '192.0.2.200', headers: { 'x-secret-key': caller.secretKey }, body });

const request = ({ ip, headers, body }: Party, identifier: string) =>
  caller.post('/request', { identifier, purpose: 'login', ...body }, { ip, headers });
const verify = ({ ip, headers }: Party, request_id: string, code: string) => caller.post('/verify', { request_id, code }, { ip, headers });
const status = ({ ip, headers }: Party, id: string) => caller.get(`/status/${id}`, { ip, headers });
const idOf = (answer: Answer): string => {
  expect([answer.status, answer.raw]).toEqual([200, expect.stringContaining('request_id')]);
  return String(field(answer, 'request_id'));
};
const showsNothing = (answer: Answer): void => {
  for (const name of ['trust_key', 'identifier', 'cached'])
    expect([name, field(answer, name)]).toEqual([name, name === 'cached' ? notCached(answer) : undefined]);
};
const notCached = (answer: Answer): unknown => (field(answer, 'cached') === undefined ? undefined : false);

const longLabel = 'the-label-of-the-thief-0001';
const victimLabel = 'the-device-of-the-victim-01';
/** What the thief does otherwise than the victim, whose app calls from 203.0.113.1 with no label. */
const thieves: readonly [string, () => Party][] = [
  ['with a label', () => app('203.0.113.1', { trust_key: longLabel })],
  ['silently', () => app('203.0.113.1', { silent: true })],
  ['silently with a label', () => app('203.0.113.9', { silent: true, trust_key: longLabel })],
  ['from another address with the same public key', () => app('203.0.113.9')],
];

describe('a thief who requested first', () => {
  for (const [how, thiefOf] of thieves)
    attack(`a thief who requests first, ${how}, polls what the victim proves`, [sharedMend], async () => {
      const [thief, victim, phone] = [thiefOf(), app('203.0.113.1'), fixture.newPhone()];
      const id = idOf(await request(thief, phone));
      expect(await request(victim, phone)).toMatchObject({ body: { request_id: id, reused: true } });
      const code = await fixture.codeFor(phone);
      expect(await verify(victim, id, code)).toMatchObject({
        status: 200,
        body: { verified: true, identifier: phone, trust_key: expect.stringMatching(/^tk_/) },
      });
      const seen = await status(thief, id);
      expect(seen.body).toEqual({
        request_id: id,
        status: 'verified',
        is_verified: true,
        purpose: 'login',
        expires_at: expect.any(String),
      });
    });

  attack('a thief who requests first leaves a label, and the victim proves it', [labelMend], async () => {
    const [thief, victim, phone] = [app('203.0.113.9', { trust_key: longLabel, silent: true }), app('203.0.113.1'), fixture.newPhone()];
    const id = idOf(await request(thief, phone));
    idOf(await request({ ...victim, body: { trust_key: victimLabel } }, phone));
    const verified = await verify(victim, id, await fixture.codeFor(phone));
    showsNothing(await request(thief, phone));
    const trust_key = field(verified, 'trust_key');
    expect((await request({ ...victim, body: { trust_key } }, phone)).body).toMatchObject({ cached: true, trust_key });
  });

  attack('the server of the company is given the request of a thief, who polls it', [sharedMend], async () => {
    const [thief, phone] = [app('203.0.113.9'), fixture.newPhone()];
    const id = idOf(await request(thief, phone));
    expect(await request(server(), phone)).toMatchObject({ body: { request_id: id } });
    expect((await verify(server(), id, await fixture.codeFor(phone))).body).toMatchObject({ verified: true });
    showsNothing(await status(thief, id));
    expect((await status(server(), id)).body).toMatchObject({ identifier: phone, trust_key: expect.any(String), is_shared: true });
  });

  attack('a public key polls what a server requested', [{ in: requester, replace: 'request.isTrusted !== true && ', by: '' }], async () => {
    const phone = fixture.newPhone();
    const id = idOf(await request(server({ ip_address: '198.51.100.7' }), phone));
    await verify(server(), id, await fixture.codeFor(phone));
    showsNothing(await status(app('203.0.113.9'), id));
    expect((await status(server(), id)).body).toMatchObject({ identifier: phone, is_shared: false });
  });
});

describe('a thief who requested second', () => {
  attack('a thief who joins the request of the victim polls it, and leaves a label', [sharedMend], async () => {
    const [thief, victim, phone] = [
      app('203.0.113.9', { trust_key: longLabel }),
      app('203.0.113.1', { trust_key: victimLabel }),
      fixture.newPhone(),
    ];
    const id = idOf(await request(victim, phone));
    idOf(await request(thief, phone));
    await verify(victim, id, await fixture.codeFor(phone));
    showsNothing(await status(thief, id));
    showsNothing(await request(thief, phone));
  });

  attack(
    'two sessions of one server share a request, and the server is not told',
    [{ in: requester, replace: 'isTrusted && label === undefined && ip === undefined ? undefined : ', by: '' }],
    async () => {
      const phone = fixture.newPhone();
      const id = idOf(await request(server(), phone));
      idOf(await request(server(), phone));
      expect((await status(server(), id)).body).toMatchObject({ is_shared: true });
      const other = fixture.newPhone();
      const session = server({ trust_key: 'a-session-of-the-server-01', ip_address: '198.51.100.7' });
      const alone = idOf(await request(session, other));
      idOf(await request(session, other));
      expect((await status(server(), alone)).body).toMatchObject({ is_shared: false });
    },
  );
});

test('in seeded interleavings of a thief and a victim the thief sees nothing, and the victim verifies as before', async () => {
  const runs = runSize(8, 1_000);
  for (let seed = 1; seed <= runs; seed++) {
    const random = seeded(seed);
    const pick = <T>(...choices: readonly [T, ...T[]]): T => choices[Math.floor(random() * choices.length)] as T;
    const victim = pick(
      app(`198.18.${seed % 250}.1`),
      app(`198.18.${seed % 250}.1`, { trust_key: victimLabel }),
      server(),
      server({ trust_key: victimLabel, ip_address: `198.18.${seed % 250}.1` }),
    );
    const thief = pick(
      app(`198.18.${seed % 250}.1`, { trust_key: longLabel }),
      app(`198.18.${seed % 250}.1`, { silent: true }),
      app(`198.18.${seed % 250}.2`, { silent: true, trust_key: longLabel }),
      app(`198.18.${seed % 250}.2`),
    );
    const phone = fixture.newPhone();
    const stolen: Answer[] = [];
    let id = '';
    const steal = async (): Promise<void> =>
      void stolen.push(pick(true, false) && id !== '' ? await status(thief, id) : await request(thief, phone));
    const first = await request(thief, phone);
    stolen.push(first);
    id = idOf(first);
    const join = (): Promise<Answer> => request(victim, phone);
    const joined = await (random() < 0.5 ? join() : Promise.all([join(), steal()]).then(([answer]) => answer));
    expect([seed, field(joined, 'request_id')]).toEqual([seed, id]);
    if (random() < 0.3) await steal();
    const code = await fixture.codeFor(phone);
    const [proven] = await Promise.all([
      verify(victim, id, code),
      ...(random() < 0.5 ? [status(thief, id).then((answer) => stolen.push(answer))] : []),
    ]);
    expect([seed, proven.body]).toEqual([
      seed,
      expect.objectContaining({ verified: true, identifier: phone, trust_key: expect.any(String) }),
    ]);
    stolen.push(await status(thief, id), await request(thief, phone));
    for (const answer of stolen) showsNothing(answer);
    if (seed % 25 === 0) fixture.testApp.clock.advance(61_000);
  }
}, 1_800_000);

describe('a legitimate single caller with only a public key', () => {
  test('polls its trust key after the code, also after it requested again, and its label is cached', async () => {
    const [mine, phone] = [app('203.0.113.40', { trust_key: victimLabel }), fixture.newPhone()];
    const id = idOf(await request(mine, phone));
    idOf(await request(mine, phone));
    await verify(mine, id, await fixture.codeFor(phone));
    expect((await status(mine, id)).body).toMatchObject({ purpose: 'login', identifier: phone, trust_key: expect.stringMatching(/^tk_/) });
    expect((await request(mine, phone)).body).toMatchObject({ cached: true });
  });

  test("polls its trust key after the user's own message", async () => {
    const [mine, phone] = [app('203.0.113.41', { silent: true }), fixture.newPhone()];
    const answer = await request(mine, phone);
    const reference = /text=Verify%20([A-Z0-9]{10})/.exec(answer.raw)?.[1];
    await fixture.testApp.call(inboundText(caller.company, { from: phone.slice(1), text: `Verify ${reference}` }));
    await fixture.testApp.drain();
    expect((await status(mine, idOf(answer))).body).toMatchObject({ identifier: phone, trust_key: expect.stringMatching(/^tk_/) });
  });
});

test('the same label of two identifiers and of two profiles is stored differently', async () => {
  const other = await fixture.newCaller();
  const trust_key = 'a-label-that-many-phones-have';
  const phone = fixture.newPhone();
  await request(app('203.0.113.50', { trust_key }), phone);
  await request(app('203.0.113.50', { trust_key }), fixture.newPhone());
  await other.post('/request', { identifier: phone, trust_key });
  const labels = (await fixture.testApp.dump()).filter((item) => item['kind'] === 'verification-request').map((item) => item['label']);
  const given = labels.filter((label) => label !== undefined).slice(-3);
  expect(new Set(given).size).toBe(3);
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { hashStaffCode } from '../../functions/crm/service/confirm-work-number.ts';
import {
  deriveLinkToken,
  hashCode,
  hashesOfCode,
  isLinkToken,
  oneClickReference,
  oneClickReferences,
} from '../../functions/verification/service/secrets.ts';
import { sealingKey } from '../../shared/contract/secret.ts';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { isOneOf, keyedHash, keyedHashes, seal, unseal } from '../../shared/runtime/seal.ts';
import { type Caller, field, type Fixture, startFixture, wrongFor } from './fixture.ts';

/** docs/decisions/key-rotation.md: processes read the secret at times of their own, and agree all the same. */
let fixture: Fixture;
let caller: Caller;
beforeAll(async () => {
  fixture = await startFixture();
  // what is sealed already stays readable
  one = z.object({ key: z.string() }).parse(JSON.parse(fixture.testApp.secrets.get(sealingKey.name) ?? '')).key;
  fixture.testApp.clock.freeze();
  caller = await fixture.newCaller();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const minute = 60_000;
const two = randomBytes(24).toString('hex');
let one: string;
let from: number;
beforeEach(() => {
  // each test has a rotation of its own, from the first key to the second one
  from = Date.now() + 15 * minute;
});

type View = 'before' | 'announced' | 'done';
const secretAt = (view: View): string =>
  JSON.stringify(
    {
      before: { id: 'k1', key: one },
      announced: { id: 'k1', key: one, next: { id: 'k2', key: two, from: new Date(from).toISOString() } },
      done: { id: 'k2', key: two, previous: { k1: one } },
    }[view],
  );

/** As in a process that has read the secret when it was so, a moment ago: it keeps that for five minutes. */
const inProcess = async <T>(view: View, work: () => Promise<T>): Promise<T> => {
  fixture.testApp.secrets.set(sealingKey.name, secretAt(view));
  clearProcessMemory();
  return work();
};
const at = (minutes: number): void => fixture.testApp.clock.moveTo(from + minutes * minute);

/** What may be at work at the same time, with minutes from when the second key counts: who requests a code, who checks it, and when each does. */
const pairs: [requester: View, atMinute: number, checker: View, thenAtMinute: number][] = [
  ['before', -12, 'announced', -12],
  ['announced', -12, 'before', -12],
  ['announced', -1, 'announced', 1],
  ['announced', 1, 'announced', 1],
  ['announced', 1, 'done', 1],
  ['done', 1, 'announced', 1],
];

describe.each(pairs)(
  'between a process with the secret of %s at minute %i and one with that of %s at minute %i',
  (requester, first, checker, then) => {
    test('a code that one has sent is right at the other, once, and another one is wrong', async () => {
      at(first);
      const identifier = fixture.newPhone();
      const [request_id, code] = await inProcess(requester, async () => {
        const made = await caller.post('/request', { identifier });
        return [String(field(made, 'request_id')), await fixture.codeFor(identifier)];
      });
      at(then);
      await inProcess(checker, async () => {
        expect((await caller.post('/verify', { request_id, code: wrongFor(code) })).body).toMatchObject({
          verified: false,
          attempts_remaining: 4,
        });
        expect((await caller.post('/verify', { request_id, code })).body).toMatchObject({ verified: true });
      });
    });

    test('links, references, codes of staff and fingerprints are the same to both, and what is sealed opens', async () => {
      at(first);
      const staff = { companyId: 1, userId: 2, workNumber: '4915112345678' } as Parameters<typeof hashStaffCode>[0];
      const made = await inProcess(requester, async () => ({
        link: await deriveLinkToken(7, 'request'),
        reference: await oneClickReference('request'),
        code: await hashCode('request', '123456'),
        staff: await hashStaffCode(staff, '12345678'),
        print: await keyedHash('fingerprint', 'body'),
        sealed: await seal('secret', 'about'),
      }));
      at(then);
      await inProcess(checker, async () => {
        expect(await isLinkToken(7, 'request', made.link)).toBe(true);
        expect(await isLinkToken(8, 'request', made.link)).toBe(false);
        expect(await oneClickReferences('request')).toContain(made.reference);
        expect(isOneOf(await hashesOfCode('request', '123456'), made.code)).toBe(true);
        expect(isOneOf(await hashesOfCode('request', '123457'), made.code)).toBe(false);
        expect(await keyedHashes('staff-code', '1:2:4915112345678:12345678')).toContain(made.staff);
        expect(await keyedHashes('fingerprint', 'body')).toContain(made.print);
        expect(await unseal(made.sealed, 'about')).toBe('secret');
      });
    });
  },
);

describe('a rotation', () => {
  test('leads all processes to the new key at one moment, whenever each has read the secret', async () => {
    const hashIn = (view: View): Promise<string> => inProcess(view, () => keyedHash('a', 'b'));
    at(-1);
    const old = await hashIn('before');
    expect(await hashIn('announced')).toBe(old);
    await inProcess('announced', async () => {
      expect(await keyedHash('a', 'b')).toBe(old);
      at(0);
      const fresh = await keyedHash('a', 'b');
      expect(fresh).not.toBe(old);
      expect((await seal('x', 'y')).startsWith('k2.')).toBe(true);
      expect(await hashIn('done')).toBe(fresh);
    });
  });

  test('counts attempts at a code as before: a code that was tried to its end under one key is not tried anew under the other', async () => {
    at(-1);
    const identifier = fixture.newPhone();
    const [request_id, code] = await inProcess('announced', async () => {
      const made = await caller.post('/request', { identifier });
      const sent = await fixture.codeFor(identifier);
      const id = String(field(made, 'request_id'));
      for (let left = 4; left >= 1; left--)
        expect(field(await caller.post('/verify', { request_id: id, code: wrongFor(sent) }), 'attempts_remaining')).toBe(left);
      return [id, sent];
    });
    at(1);
    await inProcess('announced', async () => {
      expect(field(await caller.post('/verify', { request_id, code: wrongFor(code) }), 'attempts_remaining')).toBe(0);
      expect(field(await caller.post('/verify', { request_id, code }), 'verified')).not.toBe(true);
    });
  });

  test('that is done makes what the first key hashed wrong: who has learned that key can make nothing with it', async () => {
    at(-1);
    const link = await inProcess('announced', () => deriveLinkToken(7, 'request'));
    at(1);
    expect(await inProcess('announced', () => isLinkToken(7, 'request', link))).toBe(true);
    expect(await inProcess('done', () => isLinkToken(7, 'request', link))).toBe(false);
  });

  test('costs a comparison no call of the table', async () => {
    at(-1);
    const used = async (view: View): Promise<unknown> => {
      const identifier = fixture.newPhone();
      return inProcess(view, async () => {
        const request_id = String(field(await caller.post('/request', { identifier }), 'request_id'));
        const code = await fixture.codeFor(identifier);
        // read before, as in a process that is at work
        await caller.post('/verify', { request_id, code: wrongFor(code) });
        return fixture.testApp.meter(() => caller.post('/verify', { request_id, code }));
      });
    };
    expect(await used('announced')).toEqual(await used('before'));
  });

  test('to a time that is none is refused, not passed over', async () => {
    fixture.testApp.secrets.set(sealingKey.name, JSON.stringify({ id: 'k1', key: one, next: { id: 'k2', key: two, from: 'tomorrow' } }));
    clearProcessMemory();
    await expect(keyedHash('a', 'b')).rejects.toThrow('must be a time');
  });
});

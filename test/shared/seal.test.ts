import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { sealingKey } from '../../shared/contract/secret.ts';
import { keyedHash, sameSecret, seal, sealIfNew, unseal } from '../../shared/runtime/seal.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp({ contexts: [] });
afterAll(() => testApp.stop());

const first = randomBytes(24).toString('hex');
const second = randomBytes(24).toString('hex');
const keyLifeMs = 6 * 60_000;
const rotate = (value: object): void => {
  testApp.secrets.set(sealingKey.name, JSON.stringify(value));
  testApp.clock.advance(keyLifeMs);
};

/** As a function would that has read another secret: in the same process, with modules of its own. */
const sealedByAnother = async (id: string): Promise<string> => {
  vi.resetModules();
  const other = await import('../../shared/runtime/seal.ts');
  const sealed = await other.seal('new', 'x');
  expect(sealed.startsWith(`${id}.`)).toBe(true);
  return sealed;
};

describe('sealing', () => {
  test('opens again for the same record, and never shows the value', async () => {
    const sealed = await seal('a provider token', 'number:1:1');
    expect(sealed).not.toContain('provider');
    expect(await unseal(sealed, 'number:1:1')).toBe('a provider token');
    expect(await seal('a provider token', 'number:1:1')).not.toBe(sealed);
  });

  test('of a value that is stored already leaves it as it is, and seals it anew for another value, record or key', async () => {
    const sealed = await seal('a secret', 'number:1:1');
    expect(await sealIfNew('a secret', sealed, 'number:1:1')).toBe(sealed);
    for (const [plain, stored, about] of [
      ['another', sealed, 'number:1:1'],
      ['a secret', sealed, 'number:1:2'],
      ['a secret', undefined, 'number:1:1'],
      ['a secret', sealed.replace(/^[^.]*/, 'k0'), 'number:1:1'],
    ] as const) {
      const anew = await sealIfNew(plain, stored, about);
      expect(anew).not.toBe(stored);
      expect(await unseal(anew, about)).toBe(plain);
    }
  });

  test('does not open for another record', async () => {
    const sealed = await seal('secret', 'number:1:1');
    await expect(unseal(sealed, 'number:2:1')).rejects.toThrow();
  });

  test('does not open once a character of any part is changed', async () => {
    const sealed = await seal('secret', 'x');
    for (const place of [0, 1, 2, 3]) {
      const parts = sealed.split('.');
      const part = parts[place] ?? '';
      parts[place] = (part.startsWith('A') ? 'B' : 'A') + part.slice(1);
      await expect(unseal(parts.join('.'), 'x')).rejects.toThrow();
    }
    for (const broken of ['', 'k1', 'k1...', sealed.slice(0, -4)]) await expect(unseal(broken, 'x')).rejects.toThrow();
  });

  test('after a rotation new values use the new key and old ones still open, until the old key is taken away', async () => {
    rotate({ id: 'a', key: first });
    const old = await seal('kept', 'x');
    rotate({ id: 'b', key: second, previous: { a: first } });
    const fresh = await seal('new', 'x');
    expect(fresh.startsWith('b.')).toBe(true);
    expect(await unseal(old, 'x')).toBe('kept');
    rotate({ id: 'b', key: second });
    await expect(unseal(old, 'x')).rejects.toThrow('a is not in the secret');
    expect(await unseal(fresh, 'x')).toBe('new');
  });

  test('a key that another function read after a rotation is read at once, not after five minutes', async () => {
    rotate({ id: 'b', key: second });
    const held = await seal('old', 'x');
    // this function keeps what it has read; the other one reads the rotated secret
    testApp.secrets.set(sealingKey.name, JSON.stringify({ id: 'c', key: first, previous: { b: second } }));
    testApp.clock.advance(3_000);
    const fresh = await sealedByAnother('c');
    expect(await unseal(fresh, 'x')).toBe('new');
    expect(await unseal(held, 'x')).toBe('old');
  });

  test('a key id that no secret has leads to few reads', async () => {
    rotate({ id: 'b', key: second });
    const forged = (await seal('x', 'x')).replace(/^b/, 'zz');
    let reads = 0;
    const get = testApp.secrets.get.bind(testApp.secrets);
    testApp.secrets.get = (name) => {
      reads++;
      return get(name);
    };
    for (let i = 0; i < 20; i++) await expect(unseal(forged, 'x')).rejects.toThrow('zz is not in the secret');
    expect(reads).toBeLessThanOrEqual(2);
    testApp.secrets.get = get;
    rotate({ id: 'b', key: second });
  });

  test('a secret that cannot be read now is asked for again at the next call', async () => {
    testApp.secrets.delete(sealingKey.name);
    testApp.clock.advance(keyLifeMs);
    await expect(seal('x', 'x')).rejects.toThrow();
    testApp.secrets.set(sealingKey.name, JSON.stringify({ id: 'b', key: second }));
    expect(await unseal(await seal('x', 'x'), 'x')).toBe('x');
  });
});

describe('keyed hashes and comparison', () => {
  test('a hash depends on purpose and value', async () => {
    const hash = await keyedHash('otp', '123456');
    expect(await keyedHash('otp', '123456')).toBe(hash);
    expect(await keyedHash('otp', '123457')).not.toBe(hash);
    expect(await keyedHash('trust', '123456')).not.toBe(hash);
  });

  test('secrets of different length compare as different, not as an error', () => {
    expect(sameSecret('abc', 'abc')).toBe(true);
    expect(sameSecret('abc', 'abcd')).toBe(false);
    expect(sameSecret('', 'a')).toBe(false);
  });
});

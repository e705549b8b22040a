import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import * as z from 'zod';
import type { SecretSpec } from '../contract/resource.ts';
import { variableOf } from '../contract/resource.ts';
import { sealingKey } from '../contract/secret.ts';
import { minuteMs, now } from './clock.ts';
import { processMap } from './memory.ts';
import { setting } from './env.ts';
import { getSecretValue } from './secret-value.ts';

/**
 * Sealing: AES-256-GCM under the current key of the sealing secret, with the key's id in front, so that rotation leaves old values
 * readable. `about` binds a value to its place (the record it belongs to): moved elsewhere it does not open.
 */
export const seal = async (plain: string, about: string): Promise<string> => {
  const ring = await readKeyRing(sealingKey);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', derivedKey(ring.key, 'seal'), iv).setAAD(Buffer.from(about));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return [ring.id, iv.toString('base64url'), body.toString('base64url'), cipher.getAuthTag().toString('base64url')].join('.');
};

/** Opens what `seal` closed. Throws when the value was changed, moved, or its key is gone. */
export const unseal = async (sealed: string, about: string): Promise<string> => {
  const [keyId = '', iv = '', body = '', tag = ''] = sealed.split('.');
  // another function may have read the secret after a rotation, and this one before it
  const key = keyIn(await readKeyRing(sealingKey), keyId) ?? keyIn(await readKeyRing(sealingKey, { lifeMs: rereadMs }), keyId);
  if (key === undefined) throw new Error(`The sealing key ${keyId} is not in the secret.`);
  const decipher = createDecipheriv('aes-256-gcm', derivedKey(key, 'seal'), Buffer.from(iv, 'base64url'), { authTagLength: 16 }).setAAD(
    Buffer.from(about),
  );
  decipher.setAuthTag(Buffer.from(tag, 'base64url'));
  return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString('utf8');
};

/**
 * Seals a value that may be stored already: under the current key it stays as it is, so that a request that is repeated after a crash changes
 * nothing, and the audit log has one entry.
 */
export const sealIfNew = async (plain: string, stored: string | undefined, about: string): Promise<string> => {
  const { id } = await readKeyRing(sealingKey);
  const opened = stored?.startsWith(`${id}.`) ? await unseal(stored, about).catch(() => undefined) : undefined;
  return stored !== undefined && opened !== undefined && sameSecret(opened, plain) ? stored : seal(plain, about);
};

const keyIn = (ring: KeyRing, keyId: string): string | undefined =>
  [ring, ring.next, ring.before].find((each) => each?.id === keyId)?.key ?? ring.previous?.[keyId];

/** A keyed hash for values that are compared but never read again (codes, references), under the current key. Hex. */
export const keyedHash = async (purpose: string, value: string): Promise<string> =>
  hashUnder((await readKeyRing(sealingKey)).key, purpose, value);

/**
 * The same for a comparison: under the current key first, and, while a rotation is under way, under the one before it and the one that follows. So
 * what was hashed before the change of keys stays right after it.
 */
export const keyedHashes = async (purpose: string, value: string): Promise<string[]> =>
  currentKeys(await readKeyRing(sealingKey)).map((key) => hashUnder(key, purpose, value));

const hashUnder = (key: string, purpose: string, value: string): string =>
  createHmac('sha256', derivedKey(key, `hash:${purpose}`))
    .update(value)
    .digest('hex');

/** Compares secrets in time that depends on their length alone. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

/** Whether a secret is one of several, which are all compared: the time shows neither which it is nor that it is none. */
export const isOneOf = (secrets: readonly string[], given: string): boolean => secrets.filter((each) => sameSecret(each, given)).length > 0;

const keyPair = { id: z.string().min(1), key: z.string().min(16) };
const ringSchema = z.object({
  ...keyPair,
  previous: z.record(z.string(), z.string()).optional(),
  /** Becomes the current key at a time that all processes have read before. */
  next: z.object({ ...keyPair, from: z.string().refine((time) => !Number.isNaN(Date.parse(time)), 'must be a time') }).optional(),
});

interface KeyPair {
  id: string;
  key: string;
}
export interface KeyRing extends KeyPair {
  previous?: Readonly<Record<string, string>> | undefined;
  /** The key that will be the current one. */
  next?: KeyPair | undefined;
  /** The key that was, until the rotation is done: until the secret has it among the previous ones. */
  before?: KeyPair | undefined;
}

/** A ring as it counts at a time: the same for all processes that have read it, whenever each did. */
const ringAt = ({ id, key, previous, next }: z.output<typeof ringSchema>, at: number): KeyRing =>
  next && Date.parse(next.from) <= at ? { id: next.id, key: next.key, previous, before: { id, key } } : { id, key, previous, next };

/** Under which something may have been hashed or signed that is compared now, the current one first. */
const currentKeys = ({ key, next, before }: KeyRing): string[] => [key, ...[next, before].flatMap((each) => each?.key ?? [])];

/** All keys of a ring, the current one first. */
export const keysOf = (ring: KeyRing): string[] => [...currentKeys(ring), ...Object.values(ring.previous ?? {})];

const ringLifeMs = 5 * minuteMs;
/** An unknown key id leads to a new read this often at most. */
const rereadMs = 2_000;
const rings = processMap<string, { ring: Promise<z.output<typeof ringSchema>>; readAt: number }>();

/**
 * A secret in the form of a ring (its current pair, those before it and the one that follows), read at most once in five minutes. `lifeMs`: for
 * secrets whose rotation has to be seen sooner. Two steps of a rotation: docs/decisions/key-rotation.md.
 */
export async function readKeyRing(secret: SecretSpec, { lifeMs = ringLifeMs }: { lifeMs?: number } = {}): Promise<KeyRing> {
  const secretId = setting(variableOf(secret));
  const held = rings.get(secretId);
  if (held && now() - held.readAt < lifeMs) return ringAt(await held.ring, now());
  const ring = getSecretValue(secretId).then((text) => ringSchema.parse(JSON.parse(text)));
  rings.set(secretId, { ring, readAt: now() });
  ring.catch(() => rings.delete(secretId));
  return ringAt(await ring, now());
}

/** A key for one use of a secret. Made once in a process: deriving it takes ten times as long as using it. */
export function derivedKey(secret: string, use: string): KeyObject {
  const keys = derived.get(secret) ?? new Map<string, KeyObject>();
  derived.set(secret, keys);
  const key = keys.get(use) ?? createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', use, 32)));
  keys.set(use, key);
  return key;
}

/** By secret, then by use; both are few, and named in the code. */
const derived = new Map<string, Map<string, KeyObject>>();

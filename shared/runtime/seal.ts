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

const keyIn = (ring: KeyRing, keyId: string): string | undefined => (keyId === ring.id ? ring.key : ring.previous?.[keyId]);

/** A keyed hash for values that are compared but never read again (codes, references). Hex. */
export const keyedHash = async (purpose: string, value: string): Promise<string> =>
  createHmac('sha256', derivedKey((await readKeyRing(sealingKey)).key, `hash:${purpose}`))
    .update(value)
    .digest('hex');

/** Compares secrets in time that depends on their length alone. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

const ringSchema = z.object({ id: z.string().min(1), key: z.string().min(16), previous: z.record(z.string(), z.string()).optional() });
export type KeyRing = z.output<typeof ringSchema>;

const ringLifeMs = 5 * minuteMs;
/** An unknown key id leads to a new read this often at most. */
const rereadMs = 2_000;
const rings = processMap<string, { ring: Promise<KeyRing>; readAt: number }>();

/**
 * A secret in the form of a ring (its current pair and those before it), read at most once in five minutes. `lifeMs`: for secrets whose
 * rotation has to be seen sooner.
 */
export function readKeyRing(secret: SecretSpec, { lifeMs = ringLifeMs }: { lifeMs?: number } = {}): Promise<KeyRing> {
  const secretId = setting(variableOf(secret));
  const held = rings.get(secretId);
  if (held && now() - held.readAt < lifeMs) return held.ring;
  const ring = getSecretValue(secretId).then((text) => ringSchema.parse(JSON.parse(text)));
  rings.set(secretId, { ring, readAt: now() });
  ring.catch(() => rings.delete(secretId));
  return ring;
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

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { newToken } from '../../shared/access/token.ts';

/**
 * A data folder of the laptop as a version of the product left it. It holds no secret: keys and the provider's credentials are made from
 * their names here, and tokens are issued anew when the folder is opened, as after a start that was cut off.
 */
export interface GoldenFolder {
  /** Epoch milliseconds of the product's time when it was stopped. */
  stoppedAt: number;
  /** What its callers held: ids, a cursor, answers. */
  held: Record<string, unknown>;
  /** By path: the content, compressed, in base64. */
  files: Record<string, string>;
}

const fileOf = (version: string): string => join(import.meta.dirname, '../golden', version, 'data-folder.json');

export const readGoldenFolder = (version: string): GoldenFolder => JSON.parse(readFileSync(fileOf(version), 'utf8')) as GoldenFolder;

/** Of a folder that no process uses. */
export const writeGoldenFolder = (version: string, folder: string, rest: Omit<GoldenFolder, 'files'>): void => {
  const paths = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && !ofOneRun.test(each.name))
      .map((each) => join(each.parentPath, each.name));
  for (const file of paths().filter((each) => each.endsWith('.db'))) {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE; VACUUM');
    database.close();
  }
  const packed = (path: string): string => brotliCompressSync(readFileSync(path)).toString('base64');
  const files = Object.fromEntries(paths().map((path) => [path.slice(folder.length + 1), packed(path)]));
  mkdirSync(dirname(fileOf(version)), { recursive: true });
  writeFileSync(fileOf(version), `${JSON.stringify({ ...rest, files }, null, 1)}\n`);
};

/** Made anew for each folder, or of no use to a later start. */
const ofOneRun = /^(demo.*\.json|secrets\.json|runtime\.json|clock\.json|functions\.log|.*\.pid|.*-wal|.*-shm)$/;

/** Writes the golden files, and what every such folder begins with. `at`: the product's time at the start; never before the machine's. */
export const prepareGoldenFolder = (folder: string, at: number, files: Record<string, string> = {}): void => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), brotliDecompressSync(Buffer.from(content, 'base64')));
  }
  const secrets = secretNames.map((name) => [name, JSON.stringify({ id: 'k1', key: made(name) })]);
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify(Object.fromEntries(secrets)));
  writeFileSync(join(folder, 'clock.json'), JSON.stringify({ offset_ms: Math.max(0, Math.round(at - Date.now())) }));
  writeFileSync(join(folder, 'demo.partial.json'), JSON.stringify([company('Alder Bakery', 1), company('Birch Outdoor', 2)]));
};

/** As the stack names them; another name would be a new, empty secret in every deployment. */
const secretNames = ['SealingSecret418D1914', 'CursorSecretABAE1358', 'ErasureSecretBB4A0726'];

const made = (name: string): string => createHash('sha256').update(`golden ${name}`).digest('hex');

/** As the demo's seed writes it down: what the provider knows is always the same, tokens are new. */
const company = (name: string, index: number): unknown => ({
  name,
  timezone: index === 1 ? 'Europe/Berlin' : 'America/New_York',
  domain: `${name.split(' ')[0]?.toLowerCase()}.example`,
  phone: `1555010000${index}`,
  phoneNumberId: `10000000000000${index}`,
  wabaId: `20000000000000${index}`,
  accessToken: `EAA${made(`access token ${index}`)}`,
  appSecret: made(`app secret ${index}`).slice(0, 32),
  verifyToken: made(`verify token ${index}`).slice(0, 32),
  tokens: { owner: newToken('token'), admin: newToken('token'), member: newToken('token'), viewer: newToken('token') },
  erpToken: newToken('erp_token'),
  webhookTokens: byName(['messaging', 'storeplatform', 'webshop', 'logistics', 'checkout', 'test'], () => newToken('webhook_token')),
  sharedSecrets: byName(['storeplatform', 'webshop', 'logistics', 'checkout'], () => made(newToken('token')).slice(0, 48)),
  publicKey: newToken('public_key'),
  secretKey: newToken('secret_key'),
});

const byName = (names: readonly string[], make: () => string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, make()]));

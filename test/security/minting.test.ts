import { afterAll, expect } from 'vitest';
import { authenticate, credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { missing } from '../../shared/table/condition.ts';
import { type ChangeOf, registry } from '../../shared/table/entity.ts';
import { commit } from '../../shared/table/transaction.ts';
import { app } from '../../functions/app.ts';
import { attack } from '../support/attack.ts';
import { credential } from '../support/credentials.ts';
import { runAsFunction } from '../support/crash-points.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp();
afterAll(() => testApp.stop());

const functions = app.flatMap((context) => context.functions);
const owner = (hash: string) => ({
  hash,
  credentialKind: 'token' as const,
  companyId: 1,
  id: 1,
  userId: 1,
  role: 'owner' as const,
  scopes: [],
  status: 'active' as const,
  companyStatus: 'active' as const,
});

attack(
  'code that runs in a function makes no credential, by any kind of write, unless the function mints them',
  [{ in: 'functions/shop/context.ts', replace: "mints: ['shop-domain', 'shop-installation'],", by: "mints: ['credential']," }],
  async () => {
    for (const spec of functions) {
      const mints = spec.mints?.includes('credential') === true;
      const writes: Record<string, (hash: string) => Promise<unknown>> = {
        put: (hash) => credentialEntity.put(owner(hash), missing()),
        update: (hash) => credentialEntity.change({ hash }, { set: owner(hash) }),
        transaction: (hash) => commit({ credential: credentialEntity.putting(owner(hash)) }),
      };
      for (const [how, write] of Object.entries(writes)) {
        const hash = `${spec.name}-${how}`;
        await runAsFunction(spec, () => write(hash)).catch(() => undefined);
        const isMade = (await credentialEntity.get({ hash })) !== undefined;
        if (!mints) expect(isMade, `${spec.name} by ${how}`).toBe(false);
      }
    }
    expect(
      functions
        .filter(({ mints }) => mints?.includes('credential'))
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['account-http', 'account-numbers', 'sessions-http', 'sessions-passkeys', 'shop-connections', 'verification-admin-http']);
  },
);

/** What a valid credential has of each attribute, in writes of their own. Every call writes `lastUsedAt`. */
const revivals: NonNullable<ChangeOf<typeof credentialEntity>['set']>[] = [
  { hash: '-' },
  { credentialKind: 'session' },
  { companyId: 2 },
  { id: 1 },
  { userId: 2 },
  { role: 'owner' },
  { scopes: ['contacts:read'] },
  { subject: '2' },
  { networks: ['0.0.0.0/0'] },
  { subjectStatus: 'active' },
  { subjectRevision: 1_000_000 },
  { status: 'active' },
  { companyStatus: 'active' },
  { refusesQueryToken: true },
  { refusesUnknownFields: true },
  { logsRequests: 'none' },
  { logsBodies: true },
  { isReplaced: true },
  { expiresAt: testApp.clock.now() + 86_400_000 },
  { provenAt: testApp.clock.now() },
  { until: Math.ceil(testApp.clock.now() / 1_000) + 86_400 },
];

attack(
  'no function that mints no credentials changes one that was revoked, has expired or is of a suspended company, by any attribute',
  [
    { in: 'shared/contract/resource.ts', replace: "'lastUsedAt', 'n:*'", by: "'lastUsedAt', 'n:*', 'status'" },
    { in: 'shared/contract/resource.ts', replace: "'lastUsedAt', 'n:*'", by: "'lastUsedAt', 'n:*', 'companyStatus'" },
    { in: 'shared/contract/resource.ts', replace: "'lastUsedAt', 'n:*'", by: "'lastUsedAt', 'n:*', 'expiresAt'" },
  ],
  async () => {
    const declared = Object.keys(registry.find(({ name }) => name === credentialEntity.name)?.attributes.shape ?? {});
    expect(revivals.flatMap(Object.keys).toSorted()).toEqual(declared.filter((name) => name !== 'lastUsedAt').toSorted());
    const ended = { status: 'revoked', companyStatus: 'suspended', expiresAt: testApp.clock.now() - 1 } as const;
    const secret = await credential({ role: 'viewer', scopes: [], ...ended });
    const before = await credentialEntity.get({ hash: tokenHash(secret) });
    for (const spec of functions.filter(({ mints }) => !mints?.includes('credential'))) {
      for (const set of revivals)
        await runAsFunction(spec, () => credentialEntity.change({ hash: tokenHash(secret) }, { set })).catch(() => undefined);
      expect(await credentialEntity.get({ hash: tokenHash(secret) }), spec.name).toEqual(before);
    }
    expect((await authenticate(['token'], secret, 'read')).ok).toBe(false);
  },
);

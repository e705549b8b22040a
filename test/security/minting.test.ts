import { afterAll, expect } from 'vitest';
import { credentialEntity } from '../../shared/access/credential.ts';
import { missing } from '../../shared/table/condition.ts';
import { commit } from '../../shared/table/transaction.ts';
import { app } from '../../functions/app.ts';
import { attack } from '../support/attack.ts';
import { runAsFunction } from '../support/crash-points.ts';
import { startTestApp } from '../support/test-app.ts';

const world = await startTestApp();
afterAll(() => world.stop());

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
  'W12: code that runs in a function makes no credential, by any kind of write, unless the function mints them',
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

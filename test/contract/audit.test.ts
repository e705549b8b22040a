import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allRoutes, type ContractFixture, type NamedRoute, rowsOf, startFixture } from './fixture.ts';

/** Every operation that changes the account, whichever is added, leaves an entry of who changed what. */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture({ env: { SWITCHBOARD_LOCAL: '1' } });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const accountPaths = /^\/api\/v1\/(company|users|tokens|machine-tokens|numbers|apps|webhooks|rates|spend)(\/|$)/;
/** They change nothing of the account. */
const changesNothing: ReadonlySet<string> = new Set(['checkNumber', 'testWebhook', 'resendDelivery', 'replayDeliveries']);
const audited = allRoutes.filter(
  ({ name, route }) => accountPaths.test(route.path) && route.effect === 'write' && !changesNothing.has(name),
);

test('the operations of the account are among them', () => {
  const names = audited.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['updateCompanySettings', 'updateUser', 'createToken', 'connectNumber', 'revokeMachineToken']),
  );
});

describe.each(rowsOf(audited))('%s', (_title, named: NamedRoute) => {
  test('leaves an audit entry of this call: by its user and its token, with what changed', async () => {
    const call = await fixture.goodCall(named);
    await fixture.testApp.drain();
    const before = new Set((await entries()).map(({ sk }) => sk));
    const answer = await fixture.call(named, call);
    expect(answer.status, answer.raw).toBe(200);
    await fixture.testApp.drain();
    const made = (await entries()).filter(({ sk }) => !before.has(sk));
    expect(made.length, answer.raw).toBeGreaterThan(0);
    const requestId = answer.headers['x-request-id'];
    const ofCall = made.filter(({ by }) => (by as Record<string, unknown>)['requestId'] === requestId);
    expect(ofCall).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          by: expect.objectContaining({ via: 'api', userId: expect.any(Number), credentialId: expect.any(Number) }),
        }),
      ]),
    );
    for (const { changes } of ofCall) expect(Object.keys(changes as object).length).toBeGreaterThan(0);
  });
});

const entries = (): Promise<Record<string, unknown>[]> => fixture.testApp.dump({ kind: 'audit-entry' });

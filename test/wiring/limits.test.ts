import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { declarationsOf } from '../../lib/aws/declared.ts';
import { callsPerSecond, leastUnreserved } from '../../lib/aws/edges.ts';
import { limitRows, limitsOf } from '../../lib/aws/limits.ts';
import { parseSettings } from '../../lib/aws/settings.ts';
import { templateOf } from './template.ts';

/** What the template reserves, by function. */
const reservedIn = (settings: Record<string, unknown>): Map<string, number> =>
  new Map(
    templateOf(app, settings)
      .ofType('AWS::Lambda::Function')
      .flatMap(({ Properties }) => {
        const count = Properties['ReservedConcurrentExecutions'];
        return count === undefined ? [] : [[String(Properties['FunctionName']).replace('switchboard-', ''), Number(count)] as const];
      }),
  );

describe('what gives first', () => {
  test('the limits in docs/operate.md are those of the template with its default settings', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/operate.md'), 'utf8');
    for (const row of limitRows(limitsOf(declarationsOf(app), parseSettings({})))) expect(page).toContain(row);
  });

  test('an account of 1,200 takes 3,000 posts of the provider in a second, and the default one 2,500', () => {
    const posts = (accountConcurrency: number): number => callsPerSecond(reservedIn({ accountConcurrency }).get('messaging-webhook') ?? 0);
    expect([posts(1_000), posts(1_200)]).toEqual([2_500, 3_000]);
  });

  test.each([1_000, 1_200, 5_000])(
    'with a quota of %i no function starves beside receivers at half of their posts',
    (accountConcurrency) => {
      const reserved = reservedIn({ accountConcurrency });
      const left = accountConcurrency - [...reserved.values()].reduce((sum, each) => sum + each, 0);
      expect(left).toBeGreaterThanOrEqual(leastUnreserved);
      const { workers, functions } = declarationsOf(app);
      // what has none reserved shares the rest: every worker at its most, and calls of the API, 30 ms each, at half of what the stage lets through
      const others = workers.filter(({ name }) => !reserved.has(name)).reduce((sum, each) => sum + each.maxConcurrency, 0);
      expect(left).toBeGreaterThanOrEqual(others + accountConcurrency * 0.03);
      // what sends, what stores and what follows from it cannot be taken by others
      for (const { name } of functions.filter(({ hasFloor, share }) => hasFloor ?? share))
        expect(reserved.get(name), name).toBeGreaterThan(0);
    },
  );

  test('a stage may reserve more for a function, and not for one that there is not', () => {
    expect(reservedIn({ reserved: '{"messaging-webhook":300}' }).get('messaging-webhook')).toBe(300);
    expect(() => templateOf(app, { reserved: { 'messaging-webhooks': 300 } })).toThrow(
      /reserved: there is no function messaging-webhooks; there are/,
    );
    expect(() => templateOf(app, { reserved: { 'messaging-webhook': 900 } })).toThrow(/reserved: accountConcurrency, 1000, is too small/);
  });

  test('the API takes what the account can answer', () => {
    const rates = [10, 1_000, 3_000, 20_000].map((accountConcurrency) => {
      const [stage] = templateOf(app, { accountConcurrency }).ofType('AWS::ApiGatewayV2::Stage');
      return (stage?.Properties['DefaultRouteSettings'] as { ThrottlingRateLimit: number } | undefined)?.ThrottlingRateLimit;
    });
    expect(rates).toEqual([200, 2_000, 6_000, 10_000]);
  });
});

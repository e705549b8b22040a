import { join } from 'node:path';
import { expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import type { Handler } from '../../shared/http/serve.ts';

const functions = app
  .flatMap((context) => context.functions)
  .filter((spec) => spec.trigger === 'http' && Object.keys(spec.routes).length > 0);

/** Why the contract tests show what the HTTP stack does at one route of each function in the quick suite: no route of it can pass it by. */
test.each(functions.map(({ name, entry }) => [name, entry] as const))(
  '%s answers all its routes by the one HTTP stack, in its one order',
  async (_name, entry) => {
    const { handler, ...others } = (await import(join(import.meta.dirname, '../..', entry))) as { handler: Partial<Handler> };
    expect(others).toEqual({});
    expect(handler.stages).toEqual([
      'requestLog',
      'requestRecord',
      'problemsToBodies',
      'entrance',
      'matchRoute',
      'closedTable',
      'callerAndLimit',
      'decode',
      'idempotency',
    ]);
  },
);

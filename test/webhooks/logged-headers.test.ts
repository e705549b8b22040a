import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { loggedHeaders, maxHeaderBytes } from '../../functions/webhooks/domain/delivery-attempt.ts';

test('a header that is too long is left out, and those behind it are not', () => {
  expect(loggedHeaders({ 'content-security-policy': 'x'.repeat(maxHeaderBytes), 'set-cookie': 'session=1', 'x-trace': 'abc' })).toEqual({
    'x-trace': 'abc',
  });
});

test('whatever a receiver answers, no cookie and no more than 2 KB are kept, and each as it was', () => {
  const headers = fc.dictionary(fc.constantFrom('set-cookie', 'a', 'b', 'date', 'x-long'), fc.string({ maxLength: 3_000 }));
  fc.assert(
    fc.property(headers, (given) => {
      const logged = loggedHeaders(given);
      const bytes = Object.entries(logged).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
      expect(bytes).toBeLessThanOrEqual(maxHeaderBytes);
      expect(logged).not.toHaveProperty('set-cookie');
      for (const [name, value] of Object.entries(logged)) expect(value).toBe(given[name]);
    }),
  );
});

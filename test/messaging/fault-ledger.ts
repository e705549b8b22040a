import { classifyProviderError, isThrottle } from '../../shared/provider/errors.ts';
import { seeded } from '../support/random.ts';
import { tokenIn } from './fault-operations.ts';
import type { LedgerEntry } from './fault-run.ts';
import type { Fixture } from './fixture.ts';

/** Which statuses the provider has for a message: most are read, some fail on the way. */
export const statusesOf = (token: string): readonly string[] => {
  const drawn = seeded(Number(token.replace(/\D/g, '')))();
  return drawn < 0.15 ? ['sent', 'failed'] : ['sent', 'delivered', 'read'];
};

/** Calls of the provider by token: after one of which nothing is known there may be no other. */
export const attemptRecorder = (blame: (what: string) => void) => {
  const last = new Map<string, 'unknown' | 'refused'>();
  return {
    begin: (token: string): ((body: unknown) => void) => {
      if (last.get(token) === 'unknown') blame(`${token} was sent again after a call whose outcome is unknown`);
      last.set(token, 'unknown');
      return (body) => {
        const error = classifyProviderError(body);
        if (error && isThrottle(error.code)) last.set(token, 'refused');
      };
    },
  };
};

/** What the provider accepted so far, by token; a second acceptance of a token has a name of its own. */
export const ledgerReader = (fixture: Fixture): (() => Promise<Map<string, LedgerEntry>>) => {
  const seen = new Map<string, LedgerEntry>();
  let last: string | undefined;
  return async () => {
    for (const entry of await fixture.ledgerAfter(last)) {
      last = entry.wamid;
      const token = tokenIn(entry.payload) ?? `reply:${entry.to}`;
      let name = token;
      for (let again = 2; seen.has(name); again++) name = `${token}#${again}`;
      seen.set(name, entry);
    }
    return seen;
  };
};

import { describe, expect, test } from 'vitest';
import { applyMessageChange, addPartChange, emptyStats } from '../../functions/campaigns/domain/stats.ts';
import { storedMessage, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { applyStatus, type StatusEvidence } from '../../functions/messaging/domain/status.ts';
import { usedByMessage } from '../../functions/messaging/domain/usage.ts';
import { chargesOf, maxCellsOfPart } from '../../functions/usage/contract/charges.ts';
import type { StoredUsagePart } from '../../functions/usage/contract/stored.ts';
import { sumOfUsage, usageChanges, withUsage, withWhatIsGone } from '../../functions/usage/domain.ts';
import { usedByRequest } from '../../functions/verification/domain/usage.ts';
import type { StoredRequest } from '../../functions/verification/contract/stored.ts';
import { runSize } from '../support/run-size.ts';
import { seeded, shuffled } from '../support/random.ts';

/** What messages were charged as, in the counts of a day and of a campaign. */

const midnight = Date.UTC(2026, 10, 29);
const message = (more: object): StoredMessage =>
  storedMessage.parse({
    companyId: 1,
    contactId: 1,
    id: 1,
    inbound: false,
    type: 1,
    subtype: 'text',
    value: '',
    status: 2,
    phone: '+4915123456789',
    numberId: 1,
    wamid: 'wamid.1',
    createdAt: midnight,
    updatedAt: midnight,
    ...more,
  });
const chargedCells = (each: StoredMessage): Record<string, number> =>
  Object.fromEntries(Object.entries(usedByMessage(each)?.cells ?? {}).filter(([cell]) => /^[$a]/.test(cell)));
const regular = { type: 'regular', category: 'marketing' };

describe('a message is counted as charged', () => {
  test.each([
    ['by number, category, type and country', { pricing: regular }, { '$/1/-/mr/DE': 1 }],
    ['by its campaign', { pricing: regular, campaign: { id: 12, batch: 0 } }, { '$/1/c12/mr/DE': 1 }],
    ['by the token of the call', { pricing: regular, sentBy: { via: 'api', tokenId: 7 } }, { '$/1/t7/mr/DE': 1 }],
    ['by the area of +1', { pricing: regular, phone: '+12045550101' }, { '$/1/-/mr/CA': 1 }],
    ['by the user id of a contact that shows no phone', { pricing: regular, phone: undefined, userId: 'US.1' }, { '$/1/-/mr/US': 1 }],
    ['of no known country', { pricing: regular, phone: '+88161234567' }, { '$/1/-/mr/-': 1 }],
    ['free, if the provider says so', { pricing: { type: 'free_entry_point', category: 'service' } }, { '$/1/-/sf/DE': 1 }],
    ['by `billable` where the type is absent', { pricing: { billable: true, category: 'utility' } }, { '$/1/-/ur/DE': 1 }],
    ['free by `billable`', { pricing: { billable: false, category: 'utility' } }, { '$/1/-/uf/DE': 1 }],
    [
      'unknown, if the type is of tomorrow',
      { pricing: { type: 'of_tomorrow', billable: true, category: 'utility' } },
      { '$/1/-/uu/DE': 1 },
    ],
    ['unknown, if nothing was said', {}, { '$/1/-/su/DE': 1 }],
    [
      'with the amount that is posted',
      { pricing: { ...regular, cost: { micros: 35_000, currency: 'USD' } } },
      { '$/1/-/mp/DE': 1, 'a/1/-/m/DE/USD': 35_000 },
    ],
    ['not at all before it is delivered', { pricing: regular, status: 2 }, {}],
    ['not at all when it failed', { pricing: regular, status: 5 }, {}],
  ])('%s', (_, more, cells) => {
    expect(chargedCells(message({ status: 3, ...more }))).toEqual(cells);
  });

  test('codes by WhatsApp are counted by profile and country; those by email and of test profiles are not', () => {
    const request = {
      status: 'verified',
      channel: 'whatsapp',
      profileId: '0a0b0c0d-1111',
      country: 'DE',
      claimedSend: 2,
      createdAt: midnight,
    };
    const codes = (more: object) =>
      Object.entries(usedByRequest({ ...request, ...more } as StoredRequest)?.cells ?? {}).filter(([cell]) => cell.startsWith('c$'));
    expect(codes({})).toEqual([['c$/0a0b0c0d/DE', 2]]);
    expect(codes({ country: undefined })).toEqual([['c$/0a0b0c0d/-', 2]]);
    expect([codes({ channel: 'email' }), codes({ test: true }), codes({ claimedSend: 0 }), codes({ status: 'pending' })]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });
});

describe('the counts', () => {
  const words = ['sent', 'delivered', 'read', 'delivered', 'sent', 'read'] as const;
  const evidence = (status: string, nth: number): StatusEvidence => ({
    status,
    atMs: midnight + nth,
    wamid: 'wamid.1',
    errors: undefined,
    ...(status === 'read' ? {} : { pricing: { type: 'regular', category: 'marketing', billable: true } }),
  });

  test('of a day and of a campaign are the same whatever the order and repetition of statuses, and whichever parts counted them', () => {
    const random = seeded(48);
    const day = '2026-11-29';
    for (let run = 0; run < runSize(400, 10_000); run++) {
      const parts: StoredUsagePart[] = [];
      const statsParts = [emptyStats(1, 12), emptyStats(1, 12), emptyStats(1, 12)].map((row, part) => ({ ...row, part }));
      let sum = emptyStats(1, 12);
      let seen: StoredMessage | undefined;
      let current = message({ campaign: { id: 12, batch: 0 } });
      const apply = (next: StoredMessage): void => {
        for (const change of usageChanges(usedByMessage(seen), usedByMessage(next))) {
          const part = Math.floor(random() * 3);
          parts[part] = withUsage(parts[part], { companyId: 1, day: change.day }, change.cells);
          expect(change.day).toBe(day);
        }
        const place = Math.floor(random() * 3);
        const before = statsParts[place];
        if (before) {
          const after = { ...applyMessageChange(before, seen, next), part: place };
          sum = addPartChange(sum, before, after);
          statsParts[place] = after;
        }
        seen = next;
      };
      apply(current);
      for (const [nth, status] of shuffled([...words], random).entries()) {
        const change = applyStatus(current, evidence(status, nth));
        if (!change) continue;
        current = { ...current, ...change };
        apply(current);
      }
      const cells = sumOfUsage(parts.filter((part) => part !== undefined));
      expect(cells).toEqual({ 'm/marketing/delivered/y': 1, '$/1/c12/mr/DE': 1 });
      expect(sum.cost).toEqual({ [`${Math.floor(midnight / 86_400_000).toString(36)}/mr/DE`]: 1 });
    }
  });

  test('of a part beyond 150 cells are of further numbers and tokens together, never of countries, and a recount finds no difference', () => {
    const items = Array.from({ length: 400 }, (_, nth) =>
      message({
        id: nth,
        status: 3,
        pricing: regular,
        phone: nth % 2 === 0 ? '+4915123456789' : '+33612345678',
        sentBy: { via: 'api', tokenId: nth },
      }),
    );
    const count = (all: readonly StoredMessage[]): StoredUsagePart | undefined => {
      let part: StoredUsagePart | undefined;
      for (const each of all)
        for (const change of usageChanges(undefined, usedByMessage(each)))
          part = withUsage(part, { companyId: 1, day: change.day }, change.cells);
      return part;
    };
    const stored = count(items)?.cells ?? {};
    expect(Object.keys(stored).length).toBeLessThanOrEqual(maxCellsOfPart + 2);
    const byCountry = Map.groupBy(chargesOf(stored), ({ country }) => country);
    expect(Object.fromEntries([...byCountry].map(([country, all]) => [country, all.reduce((sum, each) => sum + each.count, 0)]))).toEqual({
      DE: 200,
      FR: 200,
    });
    expect(chargesOf(stored).filter(({ origin }) => origin === 'other')).toMatchObject([{ numberId: 0 }, { numberId: 0 }]);
    // items come to a recount in another order
    const recounted = count(items.toReversed())?.cells ?? {};
    expect(recounted).not.toEqual(stored);
    expect(withWhatIsGone(recounted, stored)).toEqual(stored);
    // but one that is lost is found
    const lost = { ...stored, '$/0/o/mr/DE': (stored['$/0/o/mr/DE'] ?? 0) - 1 };
    expect(withWhatIsGone(recounted, lost)).toEqual(recounted);
    // and what was erased stays
    expect(withWhatIsGone(count(items.slice(1))?.cells ?? {}, stored)).toEqual(stored);
  });
});

import { serviceWindowMs, serviceWindowOf } from '../../functions/service-window/service.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timesInOrder } from '../../functions/messaging/contract/message-times.ts';
import { timelineOf } from '../../functions/messaging/domain/timeline.ts';
import { classifyProviderError } from '../../shared/provider/errors.ts';
import { messageStatuses, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { classifyResponse, nextSendAttemptAt } from '../../functions/messaging/domain/provider-result.ts';
import { slotRetryMs } from '../../functions/messaging/domain/pace.ts';
import { parseReference, formatReference } from '../../functions/messaging/contract/reference.ts';
import { isUnconfirmed, stateAfterAttempt, unconfirmedFailure } from '../../functions/messaging/domain/send-state.ts';
import { applyStatus, nextParkedRetryAt, type StatusEvidence } from '../../functions/messaging/domain/status.ts';
import { providerErrorEntry } from '../../shared/provider/errors.ts';

const claimed: StoredMessage = {
  companyId: 1,
  contactId: 2,
  id: 3,
  inbound: false,
  type: 1,
  subtype: 'text',
  value: 'Hello',
  status: messageStatuses.sending,
  rev: 0,
  phone: '4915112345678',
  attempt: 1,
  createdAt: 1_000,
  updatedAt: 1_000,
};

const evidence = (status: string, atMs = 5_000): StatusEvidence => ({
  status,
  atMs,
  wamid: 'wamid.A',
  errors: status === 'failed' ? [{ code: 131026 }] : undefined,
});

/** The writers of a message: status webhooks, the result of the call, and the check two minutes after the claim. */
type Step = 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'result' | 'check';
const play = (message: StoredMessage, step: Step, atMs: number): StoredMessage => {
  if (step === 'result') return { ...message, ...stateAfterAttempt(message, { outcome: 'accepted', wamid: 'wamid.A' }, atMs) };
  if (step === 'check') return isUnconfirmed(message, 1) ? { ...message, ...unconfirmedFailure(atMs) } : message;
  return { ...message, ...applyStatus(message, evidence(step, atMs)) };
};
const playAll = (steps: readonly Step[]): StoredMessage[] => {
  const states = [claimed];
  for (const [index, step] of steps.entries()) states.push(play(states.at(-1) ?? claimed, step, 2_000 + index));
  return states;
};
const last = (states: readonly StoredMessage[]): StoredMessage => states.at(-1) ?? claimed;

/** Each kind at least once, any number of times, in any order. */
const allOf = (kinds: readonly Step[]) =>
  fc
    .array(fc.constantFrom(...kinds), { maxLength: 12 })
    .chain((more) => fc.shuffledSubarray([...kinds, ...more], { minLength: kinds.length + more.length }));

const runs = { seed: 20_261_121, numRuns: 500 };

describe('statuses', () => {
  test('sent, delivered and read end in read, in any order, any number of times, before or after the result of the call', () => {
    fc.assert(
      fc.property(allOf(['sent', 'delivered', 'read', 'result']), (steps) => {
        expect(last(playAll(steps))).toMatchObject({ status: messageStatuses.read, wamid: 'wamid.A' });
      }),
      runs,
    );
  });

  test('sent and failed end in failed, in any order, any number of times, before or after the result of the call', () => {
    fc.assert(
      fc.property(allOf(['sent', 'failed', 'result']), (steps) => {
        expect(last(playAll(steps))).toMatchObject({ status: messageStatuses.failed, error: { code: 131026 } });
      }),
      runs,
    );
  });

  test('a status never goes back, and a certain failure is never lifted, by any later status', () => {
    const rankOf = ({ status, ambiguous }: StoredMessage): number => (status === messageStatuses.failed && ambiguous ? 1.5 : status);
    fc.assert(
      fc.property(allOf(['sent', 'delivered', 'read', 'played', 'failed', 'result', 'check']), (steps) => {
        const states = playAll(steps);
        for (const [index, state] of states.slice(1).entries()) {
          const before = states[index] ?? claimed;
          const isCertainFailure = before.status === messageStatuses.failed && !before.ambiguous;
          if (isCertainFailure) expect(state.status).toBe(messageStatuses.failed);
          else if (before.status >= messageStatuses.delivered && !before.ambiguous) expect([3, 4]).toContain(state.status);
          expect(rankOf(state)).toBeGreaterThanOrEqual(rankOf(before));
        }
      }),
      runs,
    );
  });

  test('each time is set once', () => {
    fc.assert(
      fc.property(allOf(['sent', 'delivered', 'read', 'result']), (steps) => {
        const states = playAll(steps);
        for (const field of ['sentAt', 'deliveredAt', 'readAt'] as const) {
          const seen = new Set(states.map((state) => state[field]).filter((at) => at !== undefined));
          expect(seen.size).toBe(1);
        }
      }),
      runs,
    );
  });

  test('a repeated status has nothing to write', () => {
    for (const status of ['sent', 'delivered', 'read', 'played', 'failed']) {
      const once = { ...claimed, ...applyStatus(claimed, evidence(status)) };
      expect(applyStatus(once, evidence(status, 9_000))).toBeUndefined();
    }
  });

  test('a failure after delivery or reading is a note', () => {
    for (const status of [messageStatuses.delivered, messageStatuses.read]) {
      const change = applyStatus({ ...claimed, status, wamid: 'wamid.A' }, evidence('failed'));
      expect(change).toEqual({ note: { code: 131026, title: providerErrorEntry(131026).title } });
    }
  });

  test.each(['sent', 'delivered', 'read'])('an ambiguous failure is lifted by %s', (status) => {
    const flagged = last(playAll(['check']));
    const lifted = { ...flagged, ...applyStatus({ ...flagged, error: { code: 'ambiguous_send', title: '' } }, evidence(status)) };
    expect(lifted.status).toBe({ sent: 2, delivered: 3, read: 4 }[status]);
    expect([lifted.ambiguous, lifted.error, lifted.failedAt]).toEqual([undefined, undefined, undefined]);
  });

  test('an ambiguous failure becomes a certain one by a failed status', () => {
    const change = applyStatus(last(playAll(['check'])), evidence('failed', 7_000));
    expect(change).toMatchObject({ status: messageStatuses.failed, error: { code: 131026 }, ambiguous: undefined });
  });

  test('evidence takes a waiting message off its due time, so that it is not sent again', () => {
    const change = applyStatus({ ...claimed, status: messageStatuses.scheduled, dueAt: 9_000 }, evidence('sent'));
    expect(change).toMatchObject({ status: messageStatuses.sent });
    expect(change).toHaveProperty('dueAt', undefined);
  });

  test('unknown statuses change nothing but the missing wamid', () => {
    for (const status of ['deleted', 'warning', 'something_new']) {
      expect(applyStatus(claimed, evidence(status))).toEqual({ wamid: 'wamid.A' });
      expect(applyStatus({ ...claimed, wamid: 'wamid.A' }, evidence(status))).toBeUndefined();
    }
  });

  test('a failure without a readable reason has the code `unknown` and its details', () => {
    const bare = applyStatus(claimed, { ...evidence('failed'), errors: [] });
    expect(bare?.error).toEqual({ code: 'unknown', title: 'The provider gave no reason' });
    const full = applyStatus(claimed, { ...evidence('failed'), errors: [{ code: 131049, error_data: { details: 'Healthy ecosystem' } }] });
    expect(full?.error).toEqual({ code: 131049, title: providerErrorEntry(131049).title, details: 'Healthy ecosystem' });
  });
});

const error = (fields: Record<string, unknown>) => ({ error: { message: '(#130429) Rate limit hit', type: 'OAuthException', ...fields } });

describe("the provider's answer", () => {
  test.each([
    ['200 with a wamid is accepted', 200, { messages: [{ id: 'wamid.X' }] }, { outcome: 'accepted', wamid: 'wamid.X' }],
    [
      'a held message is accepted',
      200,
      { messages: [{ id: 'wamid.X', message_status: 'held_for_quality_assessment' }] },
      { outcome: 'accepted', isHeld: true },
    ],
    ['200 without a wamid is ambiguous', 200, { messages: [] }, { outcome: 'ambiguous' }],
    ['200 with an empty wamid is ambiguous', 200, { messages: [{ id: '' }] }, { outcome: 'ambiguous' }],
    ['200 that cannot be read is ambiguous', 200, undefined, { outcome: 'ambiguous' }],
    [
      '200 with an error body is a refusal: the code decides, not the HTTP status',
      200,
      error({ code: 131047 }),
      { outcome: 'refused', code: 131047 },
    ],
    [
      'an error body is a refusal',
      400,
      error({ code: 131026, error_data: { details: 'Undeliverable' } }),
      { outcome: 'refused', code: 131026, details: 'Undeliverable' },
    ],
    [
      'a localised error is read by its code',
      400,
      error({ code: 130429, message: 'Ratenlimit', error_data: { details: 'Durchsatz erreicht.' } }),
      { outcome: 'refused', code: 130429, title: 'Throughput of the number reached', details: 'Durchsatz erreicht.' },
    ],
    ['a code as text is a code', 400, error({ code: '131009' }), { outcome: 'refused', code: 131009 }],
    [
      'error_data as text is the details',
      400,
      error({ code: 132000, error_data: 'body: 2 does not match 1' }),
      { outcome: 'refused', code: 132000, details: 'body: 2 does not match 1' },
    ],
    [
      'without error_data the message is the details',
      404,
      error({ code: 132001, message: 'does not exist in en' }),
      { outcome: 'refused', code: 132001, details: 'does not exist in en' },
    ],
    ['a 500 with a readable error is a refusal', 500, error({ code: 131016 }), { outcome: 'refused', code: 131016 }],
    ['a 503 with is_transient is a refusal', 503, error({ code: 2, is_transient: true }), { outcome: 'refused', code: 2 }],
    ['a code that is null is no code', 500, error({ code: null }), { outcome: 'ambiguous' }],
    ['a code that is empty is no code', 500, error({ code: '' }), { outcome: 'ambiguous' }],
    ['a 5xx page of HTML is ambiguous', 502, undefined, { outcome: 'ambiguous' }],
    ['an error that is a text is not readable', 500, { error: 'oops' }, { outcome: 'ambiguous' }],
    ['a JSON list is not readable', 500, [], { outcome: 'ambiguous' }],
    ['a 4xx without a body is a refusal', 404, undefined, { outcome: 'refused', code: 404 }],
    ['a 429 without a body is a throttle', 429, undefined, { outcome: 'refused', code: 429 }],
    ['a 408 without a body is ambiguous: the request may have gone through', 408, undefined, { outcome: 'ambiguous' }],
    ['a redirect is ambiguous', 302, undefined, { outcome: 'ambiguous' }],
  ])('%s', (_, status, body, expected) => {
    expect(classifyResponse(status, body)).toMatchObject(expected);
  });

  test('anything can come and be classified: only 2xx with a wamid is accepted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.jsonValue(), (status, body) => {
        const { outcome } = classifyResponse(status, body);
        expect(['accepted', 'refused', 'ambiguous']).toContain(outcome);
        if (outcome === 'accepted') expect(status >= 200 && status < 300).toBe(true);
        if (status >= 500 && !JSON.stringify(body).includes('code')) expect(outcome).toBe('ambiguous');
      }),
      runs,
    );
  });
});

describe('waiting', () => {
  test.each([130429, 131056, 80007, 4, 429])('a message throttled with %i is tried again, later each time, for hours at most', (code) => {
    const waits = Array.from({ length: 13 }, (_, index) => (nextSendAttemptAt(code, index + 1, 0) ?? 0) / 1_000);
    expect(waits[0]).toBe(providerErrorEntry(code).waitSeconds);
    for (const [index, wait] of waits.slice(1).entries()) expect(wait).toBeGreaterThanOrEqual(waits[index] ?? 0);
    expect(Math.max(...waits)).toBeLessThanOrEqual(3_600);
    expect(nextSendAttemptAt(code, 14, 0)).toBeUndefined();
  });

  test('the pair limit waits four times longer each time (6, 24, 96 s)', () => {
    expect([1, 2, 3].map((attempt) => nextSendAttemptAt(131056, attempt, 0))).toEqual([6_000, 24_000, 96_000]);
  });

  test.each([131047, 131026, 131000, 190, 368, 131048])('a message refused with %i is not tried again by us', (code) => {
    expect(nextSendAttemptAt(code, 1, 0)).toBeUndefined();
  });

  test('a message that finds no slot waits whole milliseconds, at least a second, and not less than to the next free slot', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (aheadUs, random) => {
        const at = 1_790_000_000_000;
        const wait = slotRetryMs(at * 1_000 + aheadUs, at, random);
        expect([Number.isInteger(wait), wait >= 1_000, wait * 1_000 >= aheadUs]).toEqual([true, true, true]);
      }),
      runs,
    );
  });

  test('a parked status is tried for seven days and no longer', () => {
    let at = 0;
    let tries = 0;
    for (let next = nextParkedRetryAt(0, 0, 0); next !== undefined; next = nextParkedRetryAt(++tries, 0, at)) at = next;
    expect(at).toBeLessThanOrEqual(7 * 86_400_000);
    expect(at).toBeGreaterThan(6 * 86_400_000);
    expect(tries).toBeLessThan(25);
  });
});

describe('references and the window', () => {
  test('a reference reads back what it was made of, and nothing else is one', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.maxSafeNat(), (companyId, contactId, messageId) => {
        expect(parseReference(formatReference(companyId, contactId, messageId))).toEqual({ companyId, contactId, messageId });
      }),
      runs,
    );
    for (const text of [undefined, '', 'sb1:1:2', 'sb1:1:2:3:4', 'x:1:2:3', 'sb1:-1:2:3', 'sb1:1:2:3 '])
      expect(parseReference(text)).toBeUndefined();
  });

  test('the window is open for 24 hours from the last inbound message, to the millisecond', () => {
    expect(serviceWindowOf(undefined, 5)).toEqual({ open: false, expiresAtMs: undefined });
    expect(serviceWindowOf(1_000, 1_000 + serviceWindowMs - 1).open).toBe(true);
    expect(serviceWindowOf(1_000, 1_000 + serviceWindowMs).open).toBe(false);
  });
});

describe('the times of a message', () => {
  const outbound = { ...claimed, createdAt: 1_000, claimedAt: 1_200, sentAt: 1_655, deliveredAt: 1_000, readAt: 1_000, failedAt: 1_000 };

  test('are shown in the order of its steps, though the provider gives whole seconds', () => {
    expect(timesInOrder(outbound)).toEqual({ sentAt: 1_655, deliveredAt: 1_655, readAt: 1_655, failedAt: 1_655 });
    expect(timelineOf(outbound).map(({ step, atMs }) => [step, atMs])).toEqual([
      ['accepted', 1_000],
      ['claimed', 1_200],
      ['sent', 1_655],
      ['delivered', 1_655],
      ['read', 1_655],
      ['failed', 1_655],
    ]);
  });
});

describe('an error of the provider in an answer', () => {
  test('has our title where the code is known, and the title and details of the provider where it is not', () => {
    const body = {
      error: { code: 131053, message: '(#131053) Media upload error', error_data: { details: 'Unsupported Video mime type' } },
    };
    expect(classifyProviderError(body)).toMatchObject({ title: 'Media could not be uploaded', details: 'Unsupported Video mime type' });
    const unknown = { error: { code: 139_999, message: '(#139999) Something new', error_data: { details: 'It happened' } } };
    expect(classifyProviderError(unknown)).toEqual({ code: 139_999, title: 'Something new', details: 'It happened' });
  });
});

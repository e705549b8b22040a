import { providerHttp } from '../../shared/provider/http.ts';
import { statusPost, type TestCompany } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { onFetch } from '../support/fetch-hook.ts';
import { type Random, seeded, shuffled } from '../support/random.ts';
import { replayHalfADayLater, injectFaults } from '../support/fault-injection.ts';
import { cancelNewest, readConversation, sendUntilAnswered } from './fault-actions.ts';
import { type FaultCompany, customerMessage } from './fault-company.ts';
import { readRecorder } from './fault-conversations.ts';
import { findViolations, statusRecorder } from './fault-oracle.ts';
import { attemptRecorder, statusesOf, ledgerReader } from './fault-ledger.ts';
import { type SendKind, sendKinds, type SendOperation, tokenIn } from './fault-operations.ts';
import type { Fixture } from './fixture.ts';

/**
 * Runs made by a seed: people write, the company sends in every way there is, schedules, cancels and reads; and on the way processes die
 * before or after any call to the table, a queue, the bucket or the provider, deliveries come twice, late and shuffled, the table
 * throttles and the provider misbehaves. Callers and the provider repeat what was not acknowledged, and nothing else. When all is quiet
 * the product must be as if nothing had happened.
 */
export interface Violation {
  seed: number;
  what: string;
}

/** A send that a client began. */
export interface Sent extends SendOperation {
  seed: number;
  acknowledged: boolean;
  messageId: number | undefined;
  wamid: string | null;
  cancelled: boolean;
}

/** A contact's message that the receiver answered with 200. */
export interface CustomerMessage {
  seed: number;
  company: TestCompany;
  from: string;
  wamid: string;
  kind: 'text' | 'stop' | 'image' | 'reply';
}

export interface LedgerEntry {
  wamid: string;
  to: string;
  reference: string | null;
  payload: Record<string, unknown>;
}

/** Shares, 0 to 1, that a run raises so that a removed condition is noticed soon. */
export interface Emphasis {
  /** Inbound messages that are an opt-out keyword. */
  stops?: number;
  /** Sends among all actions; the others share the rest as usual. */
  sends?: number;
  /** Processes that crash. */
  deaths?: number;
  /** Of batches that are delivered twice. */
  duplicates?: number;
  /** Of answers that the whole of the statuses comes before. */
  earlyStatuses?: number;
  /** Checked when all is quiet, and not half a day after it. */
  isSoon?: boolean;
}
const defaultEmphasis: Required<Emphasis> = { stops: 0.15, sends: 0.5, deaths: 0.4, duplicates: 0.3, earlyStatuses: 0.1, isSoon: false };

const opsOfSeed = 6;
/** No request and no delivery of one message has more steps; those that have fewer live. */
const mostSteps = 30;

export const faultRuns = async (
  fixture: Fixture,
  companies: readonly FaultCompany[],
  seeds: readonly number[],
  emphasis: Emphasis = {},
): Promise<Violation[]> => {
  const shares = { ...defaultEmphasis, ...emphasis };
  const { testApp } = fixture;
  const violations: Violation[] = [];
  const sends = new Map<string, Sent>();
  const inbounds: CustomerMessage[] = [];
  const crashes = crashInjection();
  const ledger = ledgerReader(fixture);
  const published = new Set<string>();
  let current: Random = seeded(0);

  const attempts = attemptRecorder((what) => violations.push({ seed: -1, what }));
  const { send } = providerHttp;
  using patience = new DisposableStack();
  patience.defer(() => (providerHttp.send = send));
  // real time is not ours to move: the provider's silence is waited for a little, in place of ten seconds
  providerHttp.send = (address, call) => send(address, { ...call, timeoutMs: Math.min(call.timeoutMs, 300) });
  using _provider = onFetch(async (address, call, init) => {
    const token = address.startsWith(fixture.provider.url) && address.endsWith('/messages') ? tokenIn(init?.body) : undefined;
    if (token === undefined) return call();
    const received = attempts.begin(token);
    const answer = await call();
    received(
      await answer
        .clone()
        .json()
        .catch(() => undefined),
    );
    // the provider's word of a message may be here before the answer to the call that made it
    if (answer.ok && crashes.isSafe() && current() < shares.earlyStatuses) {
      await report(sends, 'all', { token, isReferred: current() < 0.7 });
      await testApp.drain();
    }
    return answer;
  });
  using _statuses = testApp.onChange(statusRecorder((what) => violations.push({ seed: -1, what })));
  using _readings = testApp.onChange(readRecorder(companies));
  using _life = crashes.over(testApp, fixture.provider.url, process.env['AWS_ENDPOINT_URL_S3'] ?? 'no bucket');

  /** Statuses of what the provider accepted: each until it is acknowledged, some of them again after that. */
  const report = async (
    of: ReadonlyMap<string, Sent>,
    only?: string,
    early?: { token: string /** With our reference; without one the message is found once its id is known. */; isReferred: boolean },
  ): Promise<void> => {
    const accepted = await ledger();
    const posts: { key: string; post: Call }[] = [];
    for (const [token, entry] of accepted) {
      const sent = of.get(token);
      if (!sent || (early && token !== early.token)) continue;
      for (const status of statusesOf(token)) {
        const key = `${token}:${status}`;
        const isWanted = only === undefined ? current() < 0.6 : only === 'all' || only === status;
        if (!isWanted || (published.has(key) && current() > 0.2)) continue;
        const errors = status === 'failed' ? { errors: [{ code: 131026, title: 'Undeliverable' }] } : {};
        const isReferred = early?.isReferred ?? (only !== undefined || current() < 0.8);
        const ref = isReferred ? { biz_opaque_callback_data: entry.reference } : {};
        const post = statusPost(sent.company, { id: entry.wamid, status, recipient_id: sent.phone, ...ref, ...errors });
        // without our reference its message may stay unknown: the status is posted again, with one
        const one = { key: isReferred || early ? key : '', post };
        posts.push(one, ...(current() < 0.3 ? [one] : []));
      }
    }
    for (const { key, post } of shuffled(posts, current)) {
      // the provider repeats what was refused: thousands of posts at once are more than an address takes in a minute
      for (let attempt = 0; attempt < 3 && (await testApp.call(post)).status !== 200; attempt++) testApp.clock.advance(60_000);
      published.add(key);
    }
  };

  for (const seed of seeds) {
    const random = seeded(seed);
    current = random;
    await using faults = await injectFaults(testApp, seed);
    const company = companies[seed % companies.length];
    if (!company) throw new Error('There is no company.');
    const crashStep = (most: number): number | undefined => (random() < shares.deaths ? 1 + Math.floor(random() * most) : undefined);
    await fixture.faults({ seed, hold_statuses: true, throttle: 0.15, server_error: 0.1, reset: 0.2, timeout_after_accept: 0.03 });
    const people = [0, 1].map((index) => String(4_920_000_000_000 + seed * 10 + index));
    const contactOf = (): string => people[Math.floor(random() * people.length)] ?? '';
    const ofSeed = new Map<string, Sent>();

    for (let op = 0; op < opsOfSeed; op++) {
      const isSend = random() < shares.sends;
      const act = random();
      if (isSend) {
        // every kind crashes at every step in turn; later attempts at random steps
        const nth = seed * opsOfSeed + op;
        const kind: SendKind = sendKinds[nth % sendKinds.length] ?? 'text';
        const first = Math.floor(nth / sendKinds.length) % (mostSteps + 1);
        const token = `s${seed}-${op};`;
        const at = new Date(testApp.clock.now() + 20_000 + Math.floor(random() * 80_000)).toISOString();
        const sent: Sent = {
          seed,
          kind,
          company,
          phone: contactOf(),
          token,
          at,
          mediaId: company.mediaId,
          acknowledged: false,
          messageId: undefined,
          wamid: null,
          cancelled: false,
        };
        sends.set(token, sent);
        ofSeed.set(token, sent);
        await sendUntilAnswered(fixture, sent, [first === 0 ? undefined : first, crashStep(24), undefined], crashes.runWithCrash);
      } else if (act < 0.45) {
        const written = customerMessage(
          company,
          contactOf(),
          seed,
          op,
          random() < shares.stops ? 'stop' : random() < 0.6 ? 'text' : random() < 0.6 ? 'image' : 'reply',
        );
        for (const steps of [crashStep(6), crashStep(6), undefined, undefined]) {
          const answer = await crashes.runWithCrash(steps, () => testApp.call(written.post));
          if (answer?.status !== 200) continue;
          inbounds.push(written.written);
          break;
        }
        if (random() < 0.3) await crashes.runWithCrash(crashStep(6), () => testApp.call(written.post));
      } else if (act < 0.65) await report(ofSeed);
      else if (act < 0.8) await readConversation(fixture, company, contactOf(), [crashStep(12), undefined], crashes.runWithCrash);
      else await cancelNewest(fixture, [...ofSeed.values()], [crashStep(8), undefined], crashes.runWithCrash);

      if (random() < 0.35) {
        const disorder = { seed: seed * 100 + op, duplicate: shares.duplicates, crash: 0.15, replay: 0.1, reorder: true };
        const delayed = random() < 0.3 ? { including: 'delayed' as const, until: testApp.clock.now() + 130_000 } : {};
        await crashes.runWithCrash(crashStep(60), () => testApp.drain({ disorder, ...delayed, retry: false }));
      }
      if (random() < 0.15) await crashes.runWithCrash(crashStep(20), () => testApp.tick());
      await crashes.runWithCrash(crashStep(60), () => faults.between());
      if (random() < 0.2) testApp.clock.advance(Math.floor(random() * 30_000));
    }
    // what a process crashed over is delivered again, and succeeds before it becomes a dead letter
    const disorder = { seed, duplicate: shares.duplicates, reorder: true };
    for (const steps of [crashStep(60), undefined, undefined])
      await crashes.runWithCrash(steps, () => testApp.drain({ disorder, retry: false }));
    await testApp.drain({ disorder });
  }
  await fixture.faults({ hold_statuses: true });
  await testApp.passTime(240);
  await report(sends, 'all');
  await testApp.drain({ disorder: { seed: 1, duplicate: 0.3, reorder: true } });
  await (shares.isSoon ? testApp.passTime(20) : replayHalfADayLater(testApp, seeds[0] ?? 0));
  return [
    ...violations,
    ...(await findViolations(fixture, { companies, sends: [...sends.values()], inbounds, accepted: await ledger(), fateOf: statusesOf })),
  ];
};

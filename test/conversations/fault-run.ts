import { contactIdOf } from '../support/contact-id.ts';
import { readRecorder, type Unread } from '../messaging/fault-conversations.ts';
import { sendCall } from '../messaging/fault-operations.ts';
import type { Fixture } from '../messaging/fixture.ts';
import { inboundText, type TestCompany } from '../support/company.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { type Random, seeded } from '../support/random.ts';
import type { TableCall } from '../support/sdk-hooks.ts';
import { replayHalfADayLater, injectFaults } from '../support/fault-injection.ts';
import { assigneeOf, checkInbox, stillClosed, unmetRequests } from './fault-oracle.ts';

/**
 * Runs made by a seed: people write, and several of a company's people read, close, open, snooze, give away and delete at the same moment as
 * changes are projected, while processes die before or after any call and deliveries come twice, late and shuffled. When all is quiet the
 * conversations must equal a recount of their messages, and be as they were last set to be.
 */
export interface Desk extends TestCompany {
  unread: Unread;
  /** What a conversation, or the company's words, were last set to be; more than one where no one knows whether it was done. */
  requests: Map<string, readonly unknown[]>;
}

export const newDesk = async (fixture: Fixture): Promise<Desk> => ({
  ...(await fixture.company({ roles: ['viewer', 'member', 'owner'] })),
  unread: new Map(),
  requests: new Map(),
});

/** More conversations than the first read of a list has, so that it is read on. */
export const writeMany = async ({ testApp }: Fixture, desk: Desk): Promise<void> => {
  using _readings = testApp.onChange(readRecorder([desk]));
  for (let nth = 0; nth < 40; nth++)
    await testApp.call(inboundText(desk, { from: String(4_960_000_000_000 + nth), id: `wamid.many-${nth}`, text: 'Hello' }));
  await testApp.drain();
};

/** What a run has more of than the usual: so that a condition that is missing is noticed soon. Shares are 0 to 1. */
export interface Emphasis {
  /** Of writes to a conversation or to the words: those just before which another user of the company does something. */
  meddling?: number;
  /** Of requests that are about no message: those for other words of consent. */
  words?: number;
  /** Of what is requested of a conversation: that it be read. */
  reads?: number;
  /** Of the whole list, at the end: often enough for a crash before it is read on and one after it, with the lives between visits. */
  listReads?: number;
  /** Checked when all is quiet, and not half a day after it. */
  isSoon?: boolean;
}
const usual: Required<Emphasis> = { meddling: 0.4, words: 0.15, reads: 0.4, listReads: 0, isSoon: false };

const opsOfSeed = 8;

export const faultRuns = async (fixture: Fixture, desk: Desk, seeds: readonly number[], emphasis: Emphasis = {}): Promise<string[]> => {
  const { testApp } = fixture;
  const shares = { ...usual, ...emphasis };
  const crashes = crashInjection();
  const wrong: string[] = [];
  let random: Random = seeded(0);
  let isMeddling = false;
  const pick = <T>(of: readonly [T, ...T[]]): T => of[Math.floor(random() * of.length)] ?? of[0];
  const crashStep = (most: number): number | undefined => (random() < 0.4 ? 1 + Math.floor(random() * most) : undefined);

  /** The same request until there is an answer, as a client does; who meddles has one life, which is safe. */
  const attempt = async (call: Call): Promise<Answer | undefined> => {
    if (isMeddling) return testApp.call(call);
    for (const steps of [crashStep(12), crashStep(12), undefined, undefined]) {
      const answer = await crashes.runWithCrash(steps, () => testApp.call(call));
      if (answer && answer.status < 500 && answer.status !== 409) return answer;
    }
    return undefined;
  };
  const put = async (path: string, body: Record<string, unknown>, requests: Readonly<Record<string, unknown>>): Promise<void> => {
    const answer = await attempt({ method: 'PUT', path, token: desk.tokens.owner, body });
    for (const [what, value] of Object.entries(requests))
      desk.requests.set(what, answer?.status === 200 ? [value] : [...(desk.requests.get(what) ?? [null]), value]);
  };
  const work = async (contactId: number): Promise<void> => {
    const path = `/api/v1/conversations/${contactId}`;
    if (random() < shares.reads) await attempt({ method: 'PUT', path: `${path}/read`, token: desk.tokens.member });
    else if (random() < 0.4) await put(path, { status: pick(['open', 'closed']) }, {});
    else if (random() < 0.3) {
      const until = testApp.clock.now() + 2_000 + Math.floor(random() * 90_000);
      await put(path, { snoozed_until: random() < 0.2 ? null : new Date(until).toISOString() }, {});
    } else {
      const assigned_to = pick([desk.users.member, desk.users.owner, null]);
      await put(path, { assigned_to }, { [assigneeOf(contactId)]: assigned_to });
    }
  };
  const readList: Call = { method: 'GET', path: '/api/v1/conversations', token: desk.tokens.viewer };
  const setWords = async (): Promise<void> => {
    const [list, words] = [pick(['stop', 'start']), [`word ${Math.floor(random() * 1_000)}`]];
    await put('/api/v1/conversations/keywords', { [list]: words }, { [list]: words });
  };
  const meddle = async ({ command, input, when }: TableCall): Promise<void> => {
    if (when !== 'before' || isMeddling || !/^(Put|Update)Item$/.test(command) || !crashes.isSafe()) return;
    const key = JSON.stringify(input);
    const [, contactId] = /"C#\d+#CV#(\d+)","sk":"HEAD"/.exec(key) ?? [];
    const isWords = key.includes(`"C#${desk.id}#KEYWORDS"`);
    if ((contactId === undefined && !isWords) || random() > shares.meddling) return;
    isMeddling = true;
    try {
      await (isWords ? setWords() : work(Number(contactId)));
    } finally {
      isMeddling = false;
    }
  };
  using _readings = testApp.onChange(readRecorder([desk]));
  using _life = crashes.over(testApp);
  using _meddling = testApp.onTable(meddle);

  for (const seed of seeds) {
    random = seeded(seed);
    await using faults = await injectFaults(testApp, seed);
    const people = [0, 1].map((nth) => String(4_970_000_000_000 + seed * 10 + nth)) as [string, string];
    for (let op = 0; op < opsOfSeed; op++) {
      const phone = pick(people);
      const contactId = await contactIdOf(desk.id, { phone });
      const act = random();
      if (act < 0.4 || contactId === undefined)
        await attempt(inboundText(desk, { from: phone, id: `wamid.c${seed}-${op}`, text: `Hello ${op}` }));
      else if (act < 0.5)
        await attempt(await sendCall({ kind: 'text', company: desk, phone, token: `s${seed}-${op};`, at: '', mediaId: '' }));
      else if (act < 0.58) await attempt({ method: 'DELETE', path: `/api/v1/contacts/${contactId}`, token: desk.tokens.owner });
      else if (random() < shares.words) await setWords();
      else if (random() < 0.15) await attempt(readList);
      else await work(contactId);
      const disorder = { seed: seed * 100 + op, duplicate: 0.3, crash: 0.15, replay: 0.2, reorder: true };
      if (random() < 0.4) await crashes.runWithCrash(crashStep(40), () => testApp.drain({ disorder, retry: false }));
      await crashes.runWithCrash(crashStep(40), () => faults.between());
      if (random() < 0.2) testApp.clock.advance(Math.floor(random() * 60_000));
    }
    for (const steps of [crashStep(40), undefined, undefined]) await crashes.runWithCrash(steps, () => testApp.drain({ retry: false }));
    await testApp.drain({ disorder: { seed, duplicate: 0.3, replay: 0.3, reorder: true } });
    faults.endLateReads();
    wrong.push(...(await unmetRequests(fixture, desk)));
  }
  for (let nth = 0; nth < shares.listReads; nth++) await crashes.runWithCrash(undefined, () => testApp.call(readList));
  // no one meddles while it is checked
  isMeddling = true;
  await (shares.isSoon ? testApp.passTime(20) : replayHalfADayLater(testApp, seeds[0] ?? 0));
  return [...wrong, ...(await checkInbox(fixture, desk)), ...(await stillClosed(fixture, desk))];
};

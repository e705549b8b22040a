import { listMessages } from '../../functions/messaging/store/message.ts';
import { parkedQueue, sendsQueue, settlementsQueue, updatesQueue } from '../../functions/messaging/contract/queue.ts';
import { messageStatuses } from '../../functions/messaging/contract/stored.ts';
import { inboundText, statusPost, type TestCompany } from '../support/company.ts';
import { type Random, seeded, shuffled } from '../support/random.ts';
import { type TableCall, tableError } from '../support/table-watch.ts';
import { secondOf } from '../../shared/runtime/ids.ts';
import type { Stage } from './stage.ts';

/**
 * Runs made by a seed: people write, the company sends, and on the way processes die before or after any call to the table, a queue or
 * the provider, deliveries come twice, late and shuffled, the table throttles and the provider misbehaves. Callers and the provider
 * repeat what was not acknowledged. When all is quiet the product must be as if nothing had happened.
 */
export interface Violation {
  seed: number;
  what: string;
}

interface Sent {
  seed: number;
  phone: string;
  text: string;
  company: TestCompany;
  acknowledged: boolean;
  wamid: string | null;
}

interface Written {
  seed: number;
  company: TestCompany;
  wamid: string;
}

class Crash extends Error {
  override name = 'Crash';
}

export const faultRuns = async (stage: Stage, companies: readonly TestCompany[], seeds: readonly number[]): Promise<Violation[]> => {
  const { world } = stage;
  const violations: Violation[] = [];
  const sends: Sent[] = [];
  const inbounds: Written[] = [];
  const death = { in: Number.POSITIVE_INFINITY, isDead: false, throttleIn: Number.POSITIVE_INFINITY };
  const step = (): void => {
    if (death.isDead || --death.in <= 0) {
      death.isDead = true;
      throw new Crash('The process died.');
    }
  };
  /** The work of a process that dies at its n-th step, or lives (undefined). */
  const mortal = async <T>(steps: number | undefined, work: () => Promise<T>): Promise<T | undefined> => {
    death.in = steps ?? Number.POSITIVE_INFINITY;
    try {
      const result = await work();
      return death.isDead ? undefined : result;
    } catch {
      return undefined;
    } finally {
      death.in = Number.POSITIVE_INFINITY;
      death.isDead = false;
    }
  };

  const history = new Map<string, { status: number; ambiguous: boolean }>();
  const watch = statusWatch(history, (what) => violations.push({ seed: -1, what }));
  const realFetch = globalThis.fetch;
  globalThis.fetch = async (...args: Parameters<typeof fetch>) => {
    const [address] = args;
    if (typeof address !== 'string' || !address.startsWith(stage.provider.url)) return realFetch(...args);
    step();
    const answer = await realFetch(...args);
    step();
    return answer;
  };
  using _watch = world.onTable((call) => {
    watch(call);
    if (call.when === 'before' && --death.throttleIn === 0) throw tableError('ThrottlingException');
    step();
  });
  using _queues = world.onQueue(() => step());

  try {
    for (const seed of seeds) {
      const random = seeded(seed);
      const company = companies[seed % companies.length];
      if (!company) throw new Error('There is no company.');
      const dies = (): number | undefined => (random() < 0.4 ? 1 + Math.floor(random() * 24) : undefined);
      await stage.faults({ seed, hold_statuses: true, throttle: 0.15, server_error: 0.1, reset: 0.2, timeout_after_accept: 0.04 });
      if (random() < 0.15) death.throttleIn = 1 + Math.floor(random() * 40);
      const people = [0, 1].map((index) => String(4_920_000_000_000 + seed * 10 + index));
      const personOf = (): string => people[Math.floor(random() * people.length)] ?? '';

      for (let op = 0; op < 5; op++) {
        const kind = random();
        if (kind < 0.45) {
          const sent: Sent = { seed, company, phone: personOf(), text: `s${seed}-${op}`, acknowledged: false, wamid: null };
          sends.push(sent);
          await sendUntilAnswered(stage, sent, [dies(), dies(), undefined], mortal);
        } else if (kind < 0.75) {
          const written: Written = { seed, company, wamid: `wamid.in-${seed}-${op}` };
          const post = inboundText(company, { from: personOf(), text: written.wamid, id: written.wamid });
          for (const steps of [dies(), dies(), undefined, undefined]) {
            const answer = await mortal(steps, () => world.call(post));
            if (answer?.status !== 200) continue;
            inbounds.push(written);
            break;
          }
          if (random() < 0.3) await mortal(dies(), () => world.call(post));
        } else if (kind < 0.85)
          await reportStatuses(
            stage,
            sends.filter((each) => each.seed === seed),
            random,
          );
        if (random() < 0.35) {
          const disorder = { seed: seed * 100 + op, duplicate: 0.3, crash: 0.15, reorder: true };
          await mortal(dies(), () => world.drain({ disorder, retry: false }));
        }
        if (random() < 0.2) world.clock.advance(Math.floor(random() * 30_000));
      }
      await mortal(undefined, () => world.drain({ disorder: { seed, duplicate: 0.3, reorder: true } }));
    }
    await stage.faults({ hold_statuses: true });
    await world.pass(200);
    await reportStatuses(stage, sends, seeded(seeds[0] ?? 0), true);
    await world.drain({ disorder: { seed: 1, duplicate: 0.3, reorder: true } });
    await world.pass(20);
  } finally {
    globalThis.fetch = realFetch;
  }
  return [...violations, ...(await judge(stage, companies, sends, inbounds))];
};

/** As a client does: the same request under its key until there is an answer. */
async function sendUntilAnswered(
  stage: Stage,
  sent: Sent,
  lives: readonly (number | undefined)[],
  mortal: <T>(steps: number | undefined, work: () => Promise<T>) => Promise<T | undefined>,
): Promise<void> {
  for (const steps of lives) {
    const answer = await mortal(steps, () => stage.send(sent.company, sent.phone, sent.text, sent.text));
    if (answer && answer.status < 500 && answer.status !== 409) {
      sent.acknowledged = answer.status === 200 || answer.status === 202;
      sent.wamid = (answer.body as { data?: { message_wamid: string | null } }).data?.message_wamid ?? null;
      return;
    }
    stage.world.clock.advance(36_000);
  }
}

/** The provider's status webhooks for what it accepted, shuffled and some of them twice. */
async function reportStatuses(stage: Stage, sends: readonly Sent[], random: Random, all = false): Promise<void> {
  const accepted = await stage.ledger();
  const posts = sends.flatMap((sent) => {
    const entry = accepted.find((each) => textOf(each) === sent.text);
    if (!entry) return [];
    const ref = entry.reference ? { biz_opaque_callback_data: entry.reference } : {};
    const chosen = ['sent', 'delivered', 'read'].filter(() => all || random() < 0.6);
    return chosen.flatMap((status) => {
      const post = statusPost(sent.company, { id: entry.wamid, status, recipient_id: sent.phone, ...ref });
      return random() < 0.3 ? [post, post] : [post];
    });
  });
  for (const post of shuffled(posts, random)) await stage.world.call(post);
}

async function judge(
  stage: Stage,
  companies: readonly TestCompany[],
  sends: readonly Sent[],
  inbounds: readonly Written[],
): Promise<Violation[]> {
  const found: Violation[] = [];
  const blame = (seed: number, what: string): void => void found.push({ seed, what });
  const accepted = await stage.ledger();
  const dump = await stage.world.dump();
  for (const sent of sends) {
    const arrived = accepted.filter((each) => textOf(each) === sent.text);
    if (arrived.length > 1) blame(sent.seed, `${sent.text} was accepted ${arrived.length} times`);
    const rows = dump.filter((item) => item['kind'] === 'message' && item['value'] === sent.text);
    if (rows.length > 1) blame(sent.seed, `${sent.text} has ${rows.length} rows`);
    if (rows.length === 0 && (sent.acknowledged || arrived.length > 0)) blame(sent.seed, `${sent.text} is lost`);
    if (sent.wamid !== null && arrived[0]?.wamid !== sent.wamid) blame(sent.seed, `${sent.text} was answered with a wrong wamid`);
    for (const row of rows) {
      const expected = arrived.length > 0 ? messageStatuses.read : messageStatuses.failed;
      if (row['status'] !== expected) blame(sent.seed, `${sent.text} ends in ${String(row['status'])}, not in ${expected}`);
    }
  }
  for (const { seed, wamid } of inbounds) {
    const rows = dump.filter((item) => item['kind'] === 'message' && item['wamid'] === wamid);
    if (rows.length !== 1) blame(seed, `${wamid} has ${rows.length} rows`);
  }
  for (const company of companies) {
    const mine = dump.filter((item) => item['companyId'] === company.id);
    const heads = mine.filter((item) => item['kind'] === 'conversation');
    for (const head of heads) {
      const contactId = Number(head['contactId']);
      const messages = await listMessages(company.id, contactId, { limit: 1_000, beforeId: undefined, newerThanMs: undefined });
      const inbound = messages.filter((each) => each.inbound);
      if (head['unread'] !== inbound.length) blame(-1, `unread ${String(head['unread'])}, recounted ${inbound.length}`);
      const shown = messages.find((each) => each.id === head['lastMessageId']);
      if (!shown || secondOf(shown.id) !== secondOf(messages[0]?.id ?? 0)) blame(-1, `conversation ${contactId} shows an older message`);
    }
    const talkedTo = new Set(mine.filter((item) => item['kind'] === 'message').map((item) => item['contactId']));
    if (heads.length !== talkedTo.size) blame(-1, `${heads.length} conversations, recounted ${talkedTo.size}`);
    const totalOf = (of: string): unknown => mine.find((item) => item['kind'] === 'head' && item['of'] === of)?.['total'] ?? 0;
    if (totalOf('conversation') !== heads.length)
      blame(-1, `total of conversations ${String(totalOf('conversation'))}, recounted ${heads.length}`);
    const contacts = dump.filter((item) => item['kind'] === 'contact' && item['c'] === company.id).length;
    if (totalOf('contact') !== contacts) blame(-1, `total of contacts ${String(totalOf('contact'))}, recounted ${contacts}`);
  }
  for (const queue of [updatesQueue, sendsQueue, settlementsQueue, parkedQueue])
    if (stage.world.dead(queue).length > 0) blame(-1, `${stage.world.dead(queue).length} dead letters of ${queue.name}`);
  return found;
}

const textOf = (entry: { payload: Record<string, unknown> }): unknown => (entry.payload['text'] as { body?: unknown } | undefined)?.body;

/** Watches every write of a message's status that the table took: it never goes back. */
function statusWatch(history: Map<string, { status: number; ambiguous: boolean }>, blame: (what: string) => void) {
  return ({ command, input, when }: TableCall): void => {
    if (when !== 'after' || command !== 'UpdateItem') return;
    const key = input['Key'] as { pk: string; sk: string };
    if (!key.sk.startsWith('M#')) return;
    const set = written(input);
    const before = history.get(`${key.pk}|${key.sk}`) ?? { status: messageStatuses.sending as number, ambiguous: false };
    const status = typeof set['status'] === 'number' ? set['status'] : before.status;
    const mayWait = before.status === messageStatuses.sending && status === messageStatuses.scheduled;
    const isLifted = before.status === messageStatuses.failed && before.ambiguous;
    if (status < before.status && !mayWait && !isLifted) blame(`${key.sk} went from ${before.status} back to ${status}`);
    history.set(`${key.pk}|${key.sk}`, { status, ambiguous: 'ambiguous' in set ? set['ambiguous'] === true : before.ambiguous });
  };
}

/** What an update sets, by field; what it removes is undefined. */
function written(input: Record<string, unknown>): Record<string, unknown> {
  const names = (input['ExpressionAttributeNames'] ?? {}) as Record<string, string>;
  const values = (input['ExpressionAttributeValues'] ?? {}) as Record<string, unknown>;
  const expression = String(input['UpdateExpression']);
  const set = [...expression.matchAll(/(#n\d+) = (:v\d+)/g)].map(([, name = '', value = '']) => [names[name] ?? '', values[value]]);
  const removed = [...(/REMOVE (.*?)(?: ADD|$)/.exec(expression)?.[1] ?? '').matchAll(/#n\d+/g)].map(([name]) => [
    names[name] ?? '',
    undefined,
  ]);
  return Object.fromEntries([...removed, ...set]) as Record<string, unknown>;
}

import { messageEntityName, messageStatuses, storedMessage, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import type { ChangeHook } from '../support/change-stream.ts';
import type { FaultCompany } from './fault-company.ts';
import { grouped, checkConversations } from './fault-conversations.ts';
import { tokenIn } from './fault-operations.ts';
import type { LedgerEntry, Sent, Violation, CustomerMessage } from './fault-run.ts';
import type { Fixture } from './fixture.ts';

/** What the runs did, and what the provider accepted. */
export interface Evidence {
  companies: readonly FaultCompany[];
  sends: readonly Sent[];
  inbounds: readonly CustomerMessage[];
  /** By token; `token#2` is a second acceptance, `reply:<phone>` the answer to a word of consent. */
  accepted: ReadonlyMap<string, LedgerEntry>;
  fateOf: (token: string) => readonly string[];
}

/** Holds the product's table against the provider's ledger. */
export const findViolations = async (fixture: Fixture, evidence: Evidence): Promise<Violation[]> => {
  const found: Violation[] = [];
  const blame = (seed: number, what: string): void => void found.push({ seed, what });
  const dump = await fixture.testApp.dump();
  const mine = new Set(evidence.companies.map(({ id }) => id));
  const messages = dump
    .filter((item) => item['kind'] === 'message' && mine.has(Number(item['companyId'])))
    .map((item) => storedMessage.parse(item));
  checkSends(evidence, messages, blame);
  checkInbound(evidence, messages, dump, blame);
  for (const company of evidence.companies) for (const what of await checkConversations(fixture, company, dump)) blame(-1, what);
  for (const spec of fixture.testApp.contexts.flatMap((context) => context.functions))
    if (spec.trigger === 'queue' && fixture.testApp.deadLettersOf(spec.queue).length > 0)
      blame(-1, `${fixture.testApp.deadLettersOf(spec.queue).length} dead letters of ${spec.queue.name}`);
  return found;
};

type ReportViolation = (seed: number, what: string) => void;

function checkSends({ sends, accepted, fateOf }: Evidence, messages: readonly StoredMessage[], blame: ReportViolation): void {
  const rowsOf = grouped(
    messages.filter(({ inbound }) => !inbound),
    ({ value }) => tokenIn(value) ?? '',
  );
  checkFloors(sends, accepted, blame);
  for (const { seed, token, kind, phone, acknowledged, cancelled, wamid } of sends) {
    const arrived = accepted.get(token);
    const rows = rowsOf.get(token) ?? [];
    const [row] = rows;
    if (accepted.has(`${token}#2`)) blame(seed, `${token} (${kind}) was accepted twice`);
    if (rows.length > 1) blame(seed, `${token} (${kind}) has ${rows.length} rows`);
    if (!row && (acknowledged || arrived)) blame(seed, `${token} (${kind}) is lost`);
    if (arrived && arrived.to !== phone) blame(seed, `${token} went to somebody else`);
    if (arrived && cancelled) blame(seed, `${token} was cancelled and went out`);
    if (wamid !== null && arrived?.wamid !== wamid) blame(seed, `${token} was answered with a wrong wamid`);
    if (!row) continue;
    if (arrived && row.wamid !== arrived.wamid) blame(seed, `${token} has not its wamid`);
    const fails = fateOf(token).includes('failed');
    const expected = arrived && !fails ? messageStatuses.read : messageStatuses.failed;
    if (row.status !== expected) blame(seed, `${token} (${kind}) ends in ${row.status}, not in ${expected}`);
    if (arrived && fails && (row.error?.code !== 131026 || row.ambiguous)) blame(seed, `${token} ends without the provider's reason`);
    if (!arrived && row.error === undefined) blame(seed, `${token} (${kind}) never arrived, for no reason`);
    if (cancelled && row.error?.code !== 'cancelled') blame(seed, `${token} was cancelled and ends as ${row.error?.code}`);
  }
}

/** A product that fails every request would otherwise be right: most requests are acknowledged, and most of those arrive. */
function checkFloors(sends: readonly Sent[], accepted: Evidence['accepted'], blame: ReportViolation): void {
  if (sends.length < 20) return;
  const acknowledged = sends.filter((sent) => sent.acknowledged);
  const expected = acknowledged.filter(({ cancelled }) => !cancelled);
  const arrived = expected.filter(({ token }) => accepted.has(token));
  if (acknowledged.length < sends.length * 0.8) blame(-1, `only ${acknowledged.length} of ${sends.length} requests were acknowledged`);
  if (arrived.length < expected.length * 0.6) blame(-1, `only ${arrived.length} of ${expected.length} acknowledged requests arrived`);
}

function checkInbound(
  { inbounds, accepted }: Evidence,
  messages: readonly StoredMessage[],
  dump: readonly Record<string, unknown>[],
  blame: ReportViolation,
): void {
  const rowsOf = grouped(
    messages.filter(({ inbound }) => inbound),
    ({ wamid }) => wamid ?? '',
  );
  for (const { seed, wamid, kind, from } of inbounds) {
    const rows = rowsOf.get(wamid) ?? [];
    if (rows.length !== 1) blame(seed, `${wamid} has ${rows.length} rows`);
    if (rows[0] && rows[0].phone !== from) blame(seed, `${wamid} is somebody else's`);
    if (kind === 'image' && rows[0]?.media?.key === undefined) blame(seed, `the picture of ${wamid} was not stored`);
  }
  const stopped = new Map(inbounds.filter(({ kind }) => kind === 'stop').map((each) => [each.from, each]));
  for (const [from, { seed, company }] of stopped) {
    const contactId = messages.find((each) => each.inbound && each.phone === from && each.companyId === company.id)?.contactId;
    const isHis = (item: Record<string, unknown>): boolean => item['companyId'] === company.id && item['contactId'] === contactId;
    const requests = dump.filter((item) => item['kind'] === 'consent' && isHis(item));
    if (requests.length !== 1) blame(seed, `STOP of ${from} was recorded ${requests.length} times`);
    const replies = messages.filter((each) => each.phone === from && each.operationId?.startsWith('consent:'));
    if (replies.length !== 1) blame(seed, `STOP of ${from} has ${replies.length} answers`);
    if (accepted.has(`reply:${from}#2`)) blame(seed, `STOP of ${from} was answered twice`);
  }
}

/** Watches every status that a message has had: it never goes back. */
export const statusRecorder =
  (blame: (what: string) => void): ChangeHook =>
  ({ before, after }) => {
    if (after?.['kind'] !== messageEntityName) return;
    const [was, is] = [before?.['status'] ?? messageStatuses.scheduled, after['status']] as [number, number];
    const mayWait = was === messageStatuses.sending && is === messageStatuses.scheduled;
    const isLifted = was === messageStatuses.failed && before?.['ambiguous'] === true;
    if (is < was && !mayWait && !isLifted) blame(`${String(after['sk'])} went from ${was} back to ${is}`);
  };

import { expectProblem, freshKey } from './basic-checks.ts';
import type { Check, CheckRun } from './check.ts';
import { at, type DeploymentAnswer, expectThat, NotChecked, shownAnswer } from './deployment.ts';

/** Idempotency, times and messages: with test contacts alone, and messages only to the phone that the caller named. */

const postContact = ({ deployment }: CheckRun, body: unknown, key: string): Promise<DeploymentAnswer> =>
  deployment.call({ method: 'POST', path: '/api/v1/contacts', body, headers: { 'idempotency-key': key } });

const idempotency: Check[] = [
  {
    id: 'same-key',
    group: 'idempotency',
    title: 'the same Idempotency-Key twice has one effect, and the same answer',
    run: async (run) => {
      const [body, key] = [await run.contacts.unusedBody(), freshKey()];
      const first = await postContact(run, body, key);
      const id = run.contacts.made(first);
      const created = at(first.body, 'data', 'created');
      expectThat(typeof created === 'boolean', 'data.created is there', first.raw);
      const again = await postContact(run, body, key);
      expectThat(again.status === 200, 'the repeated call answers 200', shownAnswer(again));
      expectThat(at(again.body, 'data', 'id') === id, 'it is the same contact', again.raw);
      expectThat(at(again.body, 'data', 'created') === created, 'the answer is that of the first call', again.raw);
      const replayed = again.headers.get('idempotent-replayed');
      expectThat(replayed === 'true', 'the header Idempotent-Replayed is true', String(replayed));
    },
  },
  {
    id: 'same-key-other-body',
    group: 'idempotency',
    title: 'the same key with another body is 409 idempotency_key_reused, without effect',
    run: async (run) => {
      const [body, other, key] = [await run.contacts.unusedBody(), await run.contacts.unusedBody(), freshKey()];
      run.contacts.made(await postContact(run, body, key));
      const refused = await postContact(run, other, key);
      if (refused.status === 200) run.contacts.made(refused);
      expectProblem(refused, 409, 'idempotency_key_reused');
      const found = await run.deployment.call({ path: `/api/v1/contacts?search=${other.phone.slice(1)}&limit=1` });
      expectThat(at(found.body, 'data', 'length') === 0, 'no contact was made', found.raw);
    },
  },
  {
    id: 'same-key-at-once',
    group: 'idempotency',
    title: 'five calls at once under one key make one contact',
    run: async (run) => {
      const [body, key] = [await run.contacts.unusedBody(), freshKey()];
      const answers = await Promise.all(Array.from({ length: 5 }, () => postContact(run, body, key)));
      const ids = new Set(answers.filter(({ status }) => status === 200).map((answer) => run.contacts.made(answer)));
      expectThat(ids.size === 1, 'one contact is made', answers.map(shownAnswer).join(' | '));
      for (const answer of answers.filter(({ status }) => status !== 200)) expectProblem(answer, 409, 'idempotency_in_progress');
      const replays = answers.filter((each) => each.status === 200 && each.headers.get('idempotent-replayed') !== 'true');
      expectThat(replays.length === 1, 'one answer is that of the call itself, the others are replays or 409', `${replays.length} are not`);
    },
  },
  {
    id: 'bad-key',
    group: 'idempotency',
    title: 'a key of more than 255 characters is 400 invalid_idempotency_key',
    run: async (run) => {
      const refused = await postContact(run, { phone: '12' }, 'k'.repeat(256));
      expectProblem(refused, 400, 'invalid_idempotency_key');
    },
  },
];

const utcTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const time: Check[] = [
  {
    id: 'utc-times',
    group: 'time',
    title: 'times are UTC with microseconds, and those of now',
    run: async (run) => {
      const body = await run.contacts.unusedBody();
      const made = await postContact(run, body, freshKey());
      run.contacts.made(made);
      const updatedAt = at(made.body, 'data', 'updated_at');
      expectThat(typeof updatedAt === 'string' && utcTime.test(updatedAt), 'updated_at is such as 2026-12-24T17:00:00.000000Z', updatedAt);
      const off = Math.abs(Date.parse(updatedAt) - Date.now());
      expectThat(off < 300_000, 'the clock of the deployment is less than five minutes off', `${Math.round(off / 1_000)} s`);
    },
  },
  {
    id: 'scheduled-at-with-zone',
    group: 'time',
    title: 'scheduled_at with an offset is that instant, and a scheduled message can be cancelled',
    run: async ({ deployment, sendTo }) => {
      if (sendTo === undefined) throw new NotChecked('it schedules a message, which it cancels: add --send-to PHONE');
      const instant = new Date(Math.ceil((Date.now() + 20 * 86_400_000) / 60_000) * 60_000);
      const inIndia = new Date(instant.getTime() + 5.5 * 3_600_000).toISOString().replace(/\.\d+Z$/, '+05:30');
      const body = { phone: sendTo, message: 'Conformance check: cancelled before its time.', scheduled_at: inIndia };
      const made = await deployment.call({
        method: 'POST',
        path: '/api/v1/messages/text',
        body,
        headers: { 'idempotency-key': freshKey() },
      });
      const [id, contactId] = ['message_id', 'contact_id'].map((name) => at(made.body, 'data', name));
      const isMade = made.status === 200 && typeof id === 'number' && typeof contactId === 'number';
      expectThat(isMade, 'the message is scheduled', shownAnswer(made));
      const cancelled = await deployment.call({ method: 'DELETE', path: `/api/v1/messages/${id}?contact_id=${contactId}` });
      expectThat(cancelled.status === 200, 'the scheduled message can be cancelled: cancel it by hand', shownAnswer(cancelled));
      const scheduledAt = at(made.body, 'data', 'scheduled_at');
      const isSame = typeof scheduledAt === 'string' && Date.parse(scheduledAt) === instant.getTime();
      expectThat(isSame, `${inIndia} is ${instant.toISOString()}`, scheduledAt);
    },
  },
];

const messages: Check[] = [
  {
    id: 'near-miss',
    group: 'messages',
    title: 'a misspelt option of a send is refused: schedule_at is 422 unknown_field, and nothing is sent',
    run: async ({ deployment, sendTo }) => {
      if (sendTo === undefined) throw new NotChecked('a deployment that does not refuse it sends: add --send-to PHONE');
      const body = { phone: sendTo, message: 'Conformance check: should not have been sent.', schedule_at: '2030-01-01T00:00:00Z' };
      expectProblem(await deployment.call({ method: 'POST', path: '/api/v1/messages/text', body }), 422, 'unknown_field');
    },
  },
  {
    id: 'message-once',
    group: 'messages',
    title: 'a message sent twice under one key is one message',
    run: async ({ deployment, sendTo }) => {
      if (sendTo === undefined) throw new NotChecked('it sends a message: add --send-to PHONE');
      const body = { phone: sendTo, message: 'Conformance check of Switchboard.' };
      const call = { method: 'POST', path: '/api/v1/messages/text', body, headers: { 'idempotency-key': freshKey() } };
      const [first, again] = [await deployment.call(call), await deployment.call(call)];
      expectThat(first.status === 200 || first.status === 202, 'the message is accepted', shownAnswer(first));
      const id = at(first.body, 'data', 'message_id');
      expectThat(id !== undefined && at(again.body, 'data', 'message_id') === id, 'both answers name one message', again.raw);
    },
  },
];

export const writeChecks: readonly Check[] = [...idempotency, ...time, ...messages];

import { findContactId } from '../../functions/contacts/service/merge-identities.ts';
import type { TestCompany } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import type { RunWithCrash } from '../support/crash-injection.ts';
import { sendCall } from './fault-operations.ts';
import type { Sent } from './fault-run.ts';
import type { Fixture } from './fixture.ts';

/** At which step each process dies that tries, one after the other; undefined: it lives. */
export type CrashSteps = readonly (number | undefined)[];

/** As a client does: the same request under its key until there is an answer. */
export const sendUntilAnswered = async (stage: Fixture, sent: Sent, lives: CrashSteps, mortal: RunWithCrash): Promise<void> => {
  const call = await sendCall(sent);
  for (const steps of lives) {
    const answer = await mortal(steps, () => stage.world.call(call));
    if (answer && answer.status < 500 && answer.status !== 409) {
      sent.acknowledged = answer.status === 200 || answer.status === 202;
      const { data } = answer.body as { data?: { message_id: number; message_wamid: string | null } };
      sent.messageId = data?.message_id;
      sent.wamid = data?.message_wamid ?? null;
      return;
    }
    stage.world.clock.advance(36_000);
  }
};

/** Takes back the newest of the sends that go later. */
export const cancelNewest = async (stage: Fixture, sends: readonly Sent[], lives: CrashSteps, mortal: RunWithCrash): Promise<void> => {
  const sent = sends.findLast(({ kind, messageId }) => kind.endsWith('-later') && messageId !== undefined);
  if (!sent) return;
  const call: Call = { method: 'DELETE', path: `/api/v1/messages/${sent.messageId}`, token: sent.company.tokens.member };
  for (const steps of lives) {
    const answer = await mortal(steps, () => stage.world.call(call));
    if (answer?.status === 200) sent.cancelled = true;
    if (answer && answer.status < 500) return;
  }
};

/** Somebody of the company reads what a person wrote. */
export const readConversation = async (
  stage: Fixture,
  company: TestCompany,
  person: string,
  lives: CrashSteps,
  mortal: RunWithCrash,
): Promise<void> => {
  const contactId = await findContactId(company.id, { phone: person });
  if (contactId === undefined) return;
  const call: Call = { method: 'PUT', path: `/api/v1/conversations/${contactId}/read`, token: company.tokens.member };
  for (const steps of lives) if (((await mortal(steps, () => stage.world.call(call)))?.status ?? 500) < 500) return;
};

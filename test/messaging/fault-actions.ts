import { contactIdOf } from '../support/contact-id.ts';
import type { TestCompany } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import type { RunWithCrash } from '../support/crash-injection.ts';
import { sendCall } from './fault-operations.ts';
import type { Sent } from './fault-run.ts';
import type { Fixture } from './fixture.ts';

/** At which step each attempt's process crashes; undefined: it does not crash. */
export type CrashSteps = readonly (number | undefined)[];

/** As a client does: the same request under its key until there is an answer. */
export const sendUntilAnswered = async (fixture: Fixture, sent: Sent, lives: CrashSteps, runWithCrash: RunWithCrash): Promise<void> => {
  const call = await sendCall(sent);
  for (const steps of lives) {
    const answer = await runWithCrash(steps, () => fixture.testApp.call(call));
    if (answer && answer.status < 500 && answer.status !== 409) {
      sent.acknowledged = answer.status === 200 || answer.status === 202;
      const { data } = answer.body as { data?: { message_id: number; message_wamid: string | null } };
      sent.messageId = data?.message_id;
      sent.wamid = data?.message_wamid ?? null;
      return;
    }
    fixture.testApp.clock.advance(36_000);
  }
};

/** Takes back the newest of the sends that go later. */
export const cancelNewest = async (
  fixture: Fixture,
  sends: readonly Sent[],
  lives: CrashSteps,
  runWithCrash: RunWithCrash,
): Promise<void> => {
  const sent = sends.findLast(({ kind, messageId }) => kind.endsWith('-later') && messageId !== undefined);
  if (!sent) return;
  const call: Call = { method: 'DELETE', path: `/api/v1/messages/${sent.messageId}`, token: sent.company.tokens.member };
  for (const steps of lives) {
    const answer = await runWithCrash(steps, () => fixture.testApp.call(call));
    if (answer?.status === 200) sent.cancelled = true;
    if (answer && answer.status < 500) return;
  }
};

/** A user of the company reads the messages of a contact. */
export const readConversation = async (
  fixture: Fixture,
  company: TestCompany,
  recipient: string,
  lives: CrashSteps,
  runWithCrash: RunWithCrash,
): Promise<void> => {
  const contactId = await contactIdOf(company.id, { phone: recipient });
  if (contactId === undefined) return;
  const call: Call = { method: 'PUT', path: `/api/v1/conversations/${contactId}/read`, token: company.tokens.member };
  for (const steps of lives) if (((await runWithCrash(steps, () => fixture.testApp.call(call)))?.status ?? 500) < 500) return;
};

import { findPerson } from '../../functions/contacts/service/person.ts';
import type { TestCompany } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import type { Mortal } from '../support/mortality.ts';
import { sendCall } from './fault-ops.ts';
import type { Sent } from './fault-run.ts';
import type { Stage } from './stage.ts';

/** At which step each process dies that tries, one after the other; undefined: it lives. */
export type Lives = readonly (number | undefined)[];

/** As a client does: the same request under its key until there is an answer. */
export const sendUntilAnswered = async (stage: Stage, sent: Sent, lives: Lives, mortal: Mortal): Promise<void> => {
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
export const cancelOne = async (stage: Stage, sends: readonly Sent[], lives: Lives, mortal: Mortal): Promise<void> => {
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
export const readOne = async (stage: Stage, company: TestCompany, person: string, lives: Lives, mortal: Mortal): Promise<void> => {
  const contactId = await findPerson(company.id, { phone: person });
  if (contactId === undefined) return;
  const call: Call = { method: 'PUT', path: `/api/v1/conversations/${contactId}/read`, token: company.tokens.member };
  for (const steps of lives) if (((await mortal(steps, () => stage.world.call(call)))?.status ?? 500) < 500) return;
};

import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Event as LoggedEvent } from '../../../client/client.ts';
import { formatCount, Time } from '../../components/time.tsx';
import { read } from '../../data/queries.ts';
import { contactsText } from '../../text/contacts.ts';
import { type TextOf, useLocale, useText } from '../../text/text.ts';
import { together } from './timeline-steps.ts';

/** What happened with a contact and its conversation in the last 30 days, newest first. */
export const ContactTimeline = ({ id }: { id: number }): JSX.Element => {
  const text = useText(contactsText);
  const { tag } = useLocale();
  const ofContact = useQuery(read('listEvents', { query: { subject: `contact:${id}`, limit: 50 } })).data?.data ?? [];
  const ofConversation = useQuery(read('listEvents', { query: { subject: `conversation:${id}`, limit: 50 } })).data?.data ?? [];
  const steps = together(
    [...ofContact, ...ofConversation]
      .toSorted((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id))
      .flatMap((event) => {
        const words = wordsOf(event, text);
        return words === undefined ? [] : [{ id: event.id + event.subject, at: event.at, words }];
      }),
  );
  return (
    <section>
      <h3>{text.timeline}</h3>
      {steps.length === 0 && <p className="muted">{text.nothingYet}</p>}
      <ol className="contact-steps">
        {steps.slice(0, shown).map(({ id: key, at, words, count }) => (
          <li key={key} className="row">
            <span className="grow cut">
              {words} {count > 1 && <span className="muted numbers">× {formatCount(tag, count)}</span>}
            </span>
            <Time at={at} />
          </li>
        ))}
      </ol>
    </section>
  );
};

const shown = 20;

const wordsOf = (event: LoggedEvent, text: TextOf<typeof contactsText>): string | undefined =>
  (
    ({
      'contact.created': text.wasAdded,
      'contact.updated': text.wasUpdated,
      'contact.deleted': text.wasRemoved,
      'contact.merged': text.wasMerged,
      'contact.opted_out': text.hasOptedOut,
      'contact.blocked': text.wasBlocked,
      'contact.unblocked': text.wasUnblocked,
      'message.received': text.hasWritten,
      'message.failed': text.messageFailed,
      'conversation.note': text.wasNoted,
    }) as Readonly<Record<string, string>>
  )[event.type];

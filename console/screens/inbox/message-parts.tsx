import type { JSX } from 'react';
import type { Message } from '../../../client/client.ts';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { refresh } from '../../data/queries.ts';
import { useUsers } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import type { Reactions } from './reactions.ts';

const emojis = ['👍', '❤️', '😂', '😮', '😢', '🙏'];

/** Puts an emoji on a message, or takes it back. Sent with a key of its own for each choice. */
export const React = ({ message, hasOwn }: { message: Message; hasOwn: boolean }): JSX.Element => {
  const text = useText(inboxText);
  const send = (emoji: string): void =>
    void api
      .sendReaction({ body: { contact_id: message.contact_id, message_id: String(message.id), emoji } })
      .then(() => refresh('listConversationMessages', 'listConversations'), toastProblem);
  return (
    <Menu
      label={text.react}
      className="button quiet small icon"
      trigger={<Icon name="smile" />}
      entries={[
        ...emojis.map((emoji) => ({ id: emoji, label: emoji })),
        ...(hasOwn ? [{ id: '', label: text.reactionTaken, icon: 'close' as const }] : []),
      ]}
      onSelect={send}
    />
  );
};

export const ReactionsOn = ({ contact, ours }: Reactions): JSX.Element | null => {
  const text = useText(inboxText);
  if (contact === undefined && ours === undefined) return null;
  return (
    <span className="reactions">
      {contact !== undefined && (
        <span role="img" aria-label={text.reactedWith(contact, text.contact)} title={text.contact}>
          {contact}
        </span>
      )}
      {ours !== undefined && (
        <span role="img" aria-label={text.reactedWith(ours, text.you)} title={text.you}>
          {ours}
        </span>
      )}
    </span>
  );
};

/** Who of the team, or what, sent a message. */
export const useSenderName = ({ sent_by: by }: Message): string | undefined => {
  const text = useText(inboxText);
  const users = useUsers();
  if (by?.via === 'campaign') return text.viaCampaign;
  if (by?.via === 'system') return text.viaSystem;
  if (by?.user_id) return users.find(({ id }) => id === by.user_id)?.name;
  return by?.token_id ? text.viaApi : undefined;
};

export const Sender = ({ message }: { message: Message }): JSX.Element | null => {
  const text = useText(inboxText);
  const name = useSenderName(message);
  const { template_name: template } = message;
  const parts = [name, template === null ? undefined : `${text.template} ${template}`].filter((each) => each !== undefined);
  return parts.length === 0 ? null : <span className="sender">{parts.join(' · ')}</span>;
};

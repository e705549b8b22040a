import type { Message } from '../../../client/client.ts';

/** The emoji that stands on a message now, by who put it there. */
export interface Reactions {
  contact?: string;
  ours?: string;
}

const isReaction = ({ subtype }: Message): boolean => subtype === 'reaction' || subtype === 'reaction_removed';

/** The newest reaction of each side to each message, by the wamid of the message. One that the provider refused changed nothing. */
export const reactionsOf = (messages: readonly Message[]): ReadonlyMap<string, Reactions> => {
  const all = new Map<string, Reactions>();
  for (const message of messages) {
    if (!isReaction(message) || message.status === 5 || message.context_message_id === null) continue;
    const { contact, ours } = all.get(message.context_message_id) ?? {};
    const emoji = message.subtype === 'reaction' && message.value !== '' ? { emoji: message.value } : {};
    const now: { contact?: string | undefined; ours?: string | undefined } =
      message.is_message_by_contact === 1 ? { contact: emoji.emoji, ours } : { contact, ours: emoji.emoji };
    all.set(message.context_message_id, {
      ...(now.contact === undefined ? {} : { contact: now.contact }),
      ...(now.ours === undefined ? {} : { ours: now.ours }),
    });
  }
  return all;
};

/** Without the reactions that stand on a message which is shown. */
export const withoutReactions = (messages: readonly Message[]): readonly Message[] => {
  if (!messages.some(isReaction)) return messages;
  const shown = new Set(messages.map(({ fb_message_id: wamid }) => wamid));
  return messages.filter((message) => !isReaction(message) || message.status === 5 || !shown.has(message.context_message_id));
};

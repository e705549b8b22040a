import type { JSX } from 'react';
import { Avatar } from '../../components/basics.tsx';
import type { usePresence } from '../../data/presence.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';

/** Who else of the team is here: so that two do not answer the same customer. */
export const Presence = ({ others }: { others: ReturnType<typeof usePresence> }): JSX.Element => {
  const text = useText(inboxText);
  return (
    <div className="presence" role="status">
      {others.map(({ user, state }) => (
        <span key={user.id} className="row">
          <Avatar name={user.name} size={18} />
          {state === 'typing' ? text.isTyping(user.name) : text.isViewing(user.name)}
        </span>
      ))}
    </div>
  );
};

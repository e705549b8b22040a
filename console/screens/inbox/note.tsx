import type { JSX } from 'react';
import type { ConversationNote } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Time } from '../../components/time.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { refresh } from '../../data/queries.ts';
import { useMe } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';

/** A note among the messages: for the team, never for the contact. */
export const NoteBubble = ({ note }: { note: ConversationNote }): JSX.Element => {
  const text = useText(inboxText);
  const shell = useText(shellText);
  const me = useMe();
  const remove = (): void =>
    void api
      .deleteConversationNote({ params: { id: note.conversation_id, note_id: note.id } })
      .then(() => refresh('listConversationNotes'), toastProblem);
  return (
    <article className="message ours note">
      <div className="bubble">
        <span className="sender row">
          <Icon name="note" size={12} />
          <span className="grow">
            {text.note}
            {note.author ? ` · ${note.author.name}` : ''}
          </span>
          {note.author?.id === me.id && <Button look="quiet" small icon="trash" label={shell.remove} onClick={remove} />}
        </span>
        <p className="words" dir="auto">
          {note.body}
        </p>
        <footer>
          <Time at={note.created_at} />
        </footer>
      </div>
    </article>
  );
};

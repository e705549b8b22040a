import { type JSX, lazy, Suspense, useState } from 'react';
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
import { toastRevert } from './revert-toast.tsx';

const NoteEdit = lazy(() => import('./note-edit.tsx'));

/** A note among the messages: for the team, never for the contact. Its author can change and remove it, and take both back. */
export const NoteBubble = ({ note }: { note: ConversationNote }): JSX.Element => {
  const text = useText(inboxText);
  const shell = useText(shellText);
  const me = useMe();
  const [isEditing, setEditing] = useState(false);
  const { id, conversation_id: conversationId, body, message_id: about } = note;
  const putBack = (): void =>
    void api
      .createConversationNote({ params: { id: conversationId }, body: { body, message_id: about } })
      .then(() => refresh('listConversationNotes'), toastProblem);
  const remove = (): void =>
    void api.deleteConversationNote({ params: { id: conversationId, note_id: id } }).then(() => {
      toastRevert(text, text.noteRemoved, putBack);
      return refresh('listConversationNotes');
    }, toastProblem);
  return (
    <article className="message ours note" aria-label={text.note}>
      <div className="bubble">
        <span className="sender row">
          <Icon name="note" size={12} />
          <span className="grow">
            {text.note}
            {note.author ? ` · ${note.author.name}` : ''}
          </span>
          {note.author?.id === me.id && !isEditing && (
            <>
              <Button look="quiet" small icon="edit" label={text.editNote} onClick={() => setEditing(true)} />
              <Button look="quiet" small icon="trash" label={shell.remove} onClick={remove} />
            </>
          )}
        </span>
        {isEditing ? (
          <Suspense fallback={<p className="words">{body}</p>}>
            <NoteEdit note={note} onDone={() => setEditing(false)} />
          </Suspense>
        ) : (
          <p className="words" dir="auto">
            {body}
          </p>
        )}
        <footer>
          {note.updated_at !== note.created_at && <span>{text.edited}</span>}
          <Time at={note.created_at} />
        </footer>
      </div>
    </article>
  );
};

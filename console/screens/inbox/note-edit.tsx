import { type FormEvent, type JSX, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { ConversationNote } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { inboxText } from '../../text/inbox.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';
import { toastRevert } from './revert-toast.tsx';
import { WritingField } from './writing-field.tsx';

/** Changes a note where it stands: Enter saves, Escape leaves it as it was. */
const NoteEdit = ({ note, onDone }: { note: ConversationNote; onDone: () => void }): JSX.Element => {
  const text = useText(inboxText);
  const shell = useText(shellText);
  const field = useRef<HTMLTextAreaElement>(null);
  const [body, setBody] = useState(note.body);
  const params = { id: note.conversation_id, note_id: note.id };
  const save = useWrite(
    (changed: string, call) => api.updateConversationNote({ params, body: { body: changed } }, call),
    () => {
      const putBack = (): void =>
        void api.updateConversationNote({ params, body: { body: note.body } }).then(() => refresh('listConversationNotes'), toastProblem);
      toastRevert(text, text.noteChanged, putBack);
      void refresh('listConversationNotes');
      onDone();
    },
  );
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (save.error) toastProblem(save.error);
  }, [save.error]);
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault();
    const changed = body.trim();
    if (changed === note.body) onDone();
    else if (changed !== '') save.run(changed);
  };
  const isLeft = (event: KeyboardEvent): boolean => {
    if (event.key !== 'Escape') return false;
    // the inbox would close the conversation
    event.preventDefault();
    event.stopPropagation();
    onDone();
    return true;
  };
  return (
    <form className="stack" onSubmit={submit}>
      <WritingField
        field={field}
        className="input"
        aria-label={text.editNote}
        maxLength={5_000}
        value={body}
        onText={setBody}
        onSubmit={submit}
        isTaken={isLeft}
      />
      <div className="row">
        <span className="grow" />
        <Button small look="quiet" onClick={onDone}>
          {shell.cancel}
        </Button>
        <Button type="submit" small look="primary" disabled={body.trim() === ''} isSoftDisabled={save.isPending}>
          {shell.save}
        </Button>
      </div>
    </form>
  );
};
export default NoteEdit;

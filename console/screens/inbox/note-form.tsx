import { type FormEvent, type JSX, type KeyboardEvent, type RefObject, useEffect } from 'react';
import { Button } from '../../components/basics.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { useSession } from '../../data/session.ts';
import { useStored } from '../../data/stored.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { WritingField } from './writing-field.tsx';

interface NoteFormProps {
  conversationId: number;
  field: RefObject<HTMLTextAreaElement | null>;
  onDone: () => void;
}

/** A note for the team among the messages. */
const NoteForm = ({ conversationId: id, field, onDone }: NoteFormProps): JSX.Element => {
  const text = useText(inboxText);
  const [draft, setDraft] = useStored(useSession().stored, `note.${id}`);
  const save = useWrite(
    (body: string, call) => api.createConversationNote({ params: { id }, body: { body } }, call),
    () => {
      setDraft('');
      void refresh('listConversationNotes');
      onDone();
    },
  );
  useEffect(() => {
    if (save.error) toastProblem(save.error);
  }, [save.error]);
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault();
    if (draft.trim() !== '') save.run(draft.trim());
  };
  return (
    <form onSubmit={submit}>
      <WritingField
        field={field}
        aria-label={text.note}
        placeholder={text.placeholderNote}
        maxLength={5_000}
        value={draft}
        onText={setDraft}
        onSubmit={submit}
      />
      <div className="row tools">
        <span className="grow" />
        <Button type="submit" look="primary" small icon="note" disabled={draft.trim() === ''} isSoftDisabled={save.isPending}>
          {text.saveNote}
        </Button>
      </div>
    </form>
  );
};
export default NoteForm;

import {
  type FormEvent,
  type JSX,
  type KeyboardEvent,
  lazy,
  type RefObject,
  Suspense,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Conversation, Message } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { productNow, useNow } from '../../components/time.tsx';
import { toast, toastProblem } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useStored, useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import type { Outgoing } from '../../data/thread.ts';
import { mostFileBytes } from '../../data/uploads.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { CannedReplies, useCannedReplies } from './canned-replies.tsx';
import { InboxContext } from './context.ts';
import { lineOf } from './message-words.ts';
import { windowLeft } from './window.tsx';

const ChoicesDialog = lazy(() => import('./choices-dialog.tsx'));

export type Mode = 'reply' | 'note';

interface ComposerProps {
  conversation: Conversation;
  mode: Mode;
  onMode: (mode: Mode) => void;
  onTyping: (isTyping: boolean) => void;
  /** The message that the answer quotes. */
  quoted: Message | undefined;
  onQuoted: (message: Message | undefined) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: (outgoing: Omit<Outgoing, 'key' | 'state' | 'createdAt'>) => void;
  onAnswered: () => void;
  onTemplate: () => void;
}

/**
 * Writing to the contact, or a note to the team. While the window is closed there is no field for an answer, because free text would not be
 * delivered: a template stands in its place.
 */
export const Composer = ({ mode, onMode, ...rest }: ComposerProps): JSX.Element => {
  const text = useText(inboxText);
  return (
    <div className={`composer ${mode}`}>
      <div className="row modes" role="tablist" aria-label={text.message}>
        {(['reply', 'note'] as const).map((each) => (
          <button key={each} type="button" role="tab" aria-selected={each === mode} onClick={() => onMode(each)}>
            {text[each]}
          </button>
        ))}
      </div>
      {mode === 'note' ? <NoteForm {...rest} onDone={() => onMode('reply')} /> : <ReplyForm {...rest} />}
    </div>
  );
};

/** As high as its text, up to a limit. */
const useOwnHeight = (field: RefObject<HTMLTextAreaElement | null>, value: string): void =>
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${Math.min(current.scrollHeight + 2, 220)}px`;
  }, [value, field]);

type FormProps = Omit<ComposerProps, 'mode' | 'onMode'>;

const ReplyForm = ({ conversation, field, onSend, onAnswered, onTemplate, onTyping, quoted, onQuoted }: FormProps): JSX.Element => {
  const text = useText(inboxText);
  const now = useNow();
  const { id, window: given } = conversation;
  const [draft, setDraft] = useStored(`switchboard.draft.${id}`, '');
  const [file, setFile] = useState<File>();
  const [later, setLater] = useState<string>();
  const [isChoosing, setChoosing] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const canned = useCannedReplies(draft, (reply) => {
    setDraft(reply);
    field.current?.focus();
  });
  useOwnHeight(field, draft);
  const isWriting = draft !== '';
  useEffect(() => {
    onTyping(isWriting);
    return () => onTyping(false);
  }, [isWriting, onTyping]);
  const isClosed = windowLeft(given, now) === 0;
  const { isByKeys } = useContext(InboxContext);
  useEffect(() => {
    // who goes through the list by keys goes on with keys
    if (!isClosed && !isByKeys() && matchMedia('(min-width: 760px)').matches) field.current?.focus({ preventScroll: true });
  }, [field, id, isClosed, isByKeys]);
  if (isClosed) return <ClosedWindow neverWrote={given.expires_at === null} onTemplate={onTemplate} />;

  const canSend = (draft.trim() !== '' && draft.trim() !== '/') || file !== undefined;
  const submit = (event?: FormEvent | KeyboardEvent): void => {
    event?.preventDefault();
    if (!canSend) return;
    const message = draft.trim();
    const scheduled = later === undefined || later === '' ? {} : { scheduled_at: new Date(later).toISOString() };
    const context = quoted ? { context_message_id: String(quoted.id) } : {};
    const fields = { contact_id: id, ...(message === '' ? {} : { message }), ...context, ...scheduled };
    onSend({ conversationId: id, text: message, ...(file ? { file } : {}), sending: { operation: 'sendText', fields } });
    done();
  };
  const done = (): void => {
    setDraft('');
    setFile(undefined);
    setLater(undefined);
    onQuoted(undefined);
    onAnswered();
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (canned.onKeyDown(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
    if (event.key === 'Escape') field.current?.blur();
  };
  const attach = (files: FileList | null): void => {
    const [chosen] = files ?? [];
    if (!chosen) return;
    if (chosen.size > mostFileBytes) toast(text.tooLarge);
    else setFile(chosen);
  };
  return (
    <form onSubmit={submit}>
      <CannedReplies {...canned} />
      {quoted && (
        <div className="attached">
          <Icon name="reply" />
          <span className="cut grow">
            <bdi>{lineOf(text, quoted)}</bdi>
          </span>
          <Button look="quiet" small icon="close" label={text.discard} onClick={() => onQuoted(undefined)} />
        </div>
      )}
      {file && (
        <div className="attached">
          <Icon name="file" />
          <span className="cut grow">{file.name}</span>
          <Button look="quiet" small icon="close" label={text.discard} onClick={() => setFile(undefined)} />
        </div>
      )}
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label={text.message}
        aria-autocomplete="list"
        aria-controls={canned.isOpen ? 'canned-replies' : undefined}
        aria-activedescendant={canned.isOpen ? `canned-${canned.active}` : undefined}
        placeholder={text.placeholder}
        maxLength={4_096}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => attach(event.clipboardData.files)}
      />
      <div className="row tools">
        <input ref={picker} type="file" hidden onChange={(event) => attach(event.target.files)} />
        <Button look="quiet" small icon="attach" label={text.attach} onClick={() => picker.current?.click()} />
        <Button look="quiet" small icon="template" label={`${text.templates}  T`} onClick={onTemplate} />
        <Button look="quiet" small icon="list" label={text.choices} onClick={() => setChoosing(true)} />
        <Button
          look="quiet"
          small
          icon="calendar"
          label={text.sendLater}
          aria-pressed={later !== undefined}
          onClick={() => setLater(later === undefined ? inAnHour() : undefined)}
        />
        {later !== undefined && (
          <input
            type="datetime-local"
            className="input later"
            aria-label={text.sendAt}
            value={later}
            onChange={(event) => setLater(event.target.value)}
          />
        )}
        <span className="grow" />
        <Button type="submit" look="primary" small icon={later === undefined ? 'send' : 'calendar'} disabled={!canSend}>
          {later === undefined ? text.send : text.sendLater}
        </Button>
      </div>
      {isChoosing && (
        <Suspense>
          <ChoicesDialog
            message={draft}
            onClose={() => setChoosing(false)}
            onSend={(message, choices) => {
              const fields = { contact_id: id, message, ...(quoted ? { context_message_id: String(quoted.id) } : {}) };
              onSend({
                conversationId: id,
                text: message,
                sending:
                  'action' in choices
                    ? { operation: 'sendList', fields: { ...fields, ...choices } }
                    : { operation: 'sendText', fields: { ...fields, ...choices } },
              });
              setChoosing(false);
              done();
            }}
          />
        </Suspense>
      )}
    </form>
  );
};

const NoteForm = ({ conversation, field, onDone }: FormProps & { onDone: () => void }): JSX.Element => {
  const text = useText(inboxText);
  const { id } = conversation;
  const [draft, setDraft] = useStored(`switchboard.note.${id}`, '');
  useOwnHeight(field, draft);
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
  const submit = (event?: FormEvent | KeyboardEvent): void => {
    event?.preventDefault();
    if (draft.trim() !== '') save.run(draft.trim());
  };
  return (
    <form onSubmit={submit}>
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label={text.note}
        placeholder={text.placeholderNote}
        maxLength={5_000}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
          if (event.key === 'Escape') field.current?.blur();
        }}
      />
      <div className="row tools">
        <span className="grow" />
        <Button type="submit" look="primary" small icon="note" disabled={draft.trim() === '' || save.isPending}>
          {text.saveNote}
        </Button>
      </div>
    </form>
  );
};

const ClosedWindow = ({ neverWrote, onTemplate }: { neverWrote: boolean; onTemplate: () => void }): JSX.Element => {
  const text = useText(inboxText);
  return (
    <div className="closed" role="note">
      <Icon name="clock" size={20} />
      <div className="grow">
        <strong>{neverWrote ? text.neverWrote : text.closedTitle}</strong>
        <p className="muted">{text.closedHint}</p>
      </div>
      <Button look="primary" icon="template" onClick={onTemplate}>
        {text.chooseTemplate}
      </Button>
    </div>
  );
};

/** An hour from now, as the field of the browser takes it: local, to the minute. */
const inAnHour = (): string => {
  const at = new Date(productNow() + 3_600_000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

import { type FormEvent, type JSX, type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Conversation } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { useNow } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { useStored } from '../../data/forms.ts';
import type { Outgoing } from '../../data/thread.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { windowLeft } from './window.tsx';

/** Multipart bodies of the API: what Lambda takes in an event, less what base64 adds. */
const mostFileBytes = 4 * 1024 * 1024;

/**
 * Writing to the contact. While the window is closed there is no field to type into, because free text would not be delivered: a template
 * stands in its place.
 */
export const Composer = ({
  conversation,
  field,
  onSend,
  onAnswered,
  onTemplate,
}: {
  conversation: Conversation;
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: (outgoing: Omit<Outgoing, 'key' | 'state' | 'createdAt'>) => void;
  onAnswered: () => void;
  onTemplate: () => void;
}): JSX.Element => {
  const text = useText(inboxText);
  const now = useNow();
  const { id, window: given } = conversation;
  const [draft, setDraft] = useStored(`switchboard.draft.${id}`, '');
  const [file, setFile] = useState<File>();
  const [later, setLater] = useState<string>();
  const picker = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${Math.min(current.scrollHeight + 2, 220)}px`;
  }, [draft, field]);
  useEffect(() => {
    if (matchMedia('(min-width: 760px)').matches) field.current?.focus({ preventScroll: true });
  }, [field, id]);
  if (windowLeft(given, now) === 0) return <ClosedWindow neverWrote={given.expires_at === null} onTemplate={onTemplate} />;

  const canSend = draft.trim() !== '' || file !== undefined;
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (!canSend) return;
    const message = draft.trim();
    const scheduled = later === undefined || later === '' ? {} : { scheduled_at: new Date(later).toISOString() };
    const fields = { contact_id: id, ...(message === '' ? {} : { message }), ...scheduled };
    onSend({ conversationId: id, text: message, ...(file ? { file } : {}), input: file ? formOf(fields, file) : fields });
    setDraft('');
    setFile(undefined);
    setLater(undefined);
    onAnswered();
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
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
    <form className="composer" onSubmit={submit}>
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
        <Button type="submit" look="primary" small disabled={!canSend}>
          <Icon name={later === undefined ? 'send' : 'calendar'} />
          {later === undefined ? text.send : text.sendLater}
        </Button>
      </div>
    </form>
  );
};

const ClosedWindow = ({ neverWrote, onTemplate }: { neverWrote: boolean; onTemplate: () => void }): JSX.Element => {
  const text = useText(inboxText);
  return (
    <div className="composer closed" role="note">
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

const formOf = (fields: Readonly<Record<string, string | number>>, file: File): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set('image', file);
  return form;
};

/** An hour from now, as the field of the browser takes it: local, to the minute. */
const inAnHour = (): string => {
  const at = new Date(Date.now() + 3_600_000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

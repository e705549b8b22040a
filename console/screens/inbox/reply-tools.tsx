import { type JSX, useRef } from 'react';
import { Button } from '../../components/basics.tsx';
import { formatTime, productNow } from '../../components/time.tsx';
import { toFieldTime } from '../../data/field-time.ts';
import { inboxText } from '../../text/inbox.ts';
import { useLocale, useText } from '../../text/text.ts';
import { firstLater, laterProblem } from './later.ts';

interface ReplyToolsProps {
  /** As the field of the browser has it; undefined: at once. */
  later: string | undefined;
  onLater: (later: string | undefined) => void;
  /** The end of the window, until when free text reaches the contact. */
  until: string | null;
  onFiles: (files: FileList | null) => void;
  onTemplate: () => void;
  onChoices: () => void;
  canSend: boolean;
  /** What the button says where sending needs a second thought. */
  sendWords: string | undefined;
}

/** Below the field: what can go with the message, when, and sending it. */
export const ReplyTools = ({ later, onLater, until, onFiles, onTemplate, onChoices, canSend, sendWords }: ReplyToolsProps): JSX.Element => {
  const text = useText(inboxText);
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="row tools">
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        onChange={({ target }) => {
          onFiles(target.files);
          // the same file can be chosen again
          target.value = '';
        }}
      />
      <Button look="quiet" small icon="attach" label={text.attach} onClick={() => picker.current?.click()} />
      <Button look="quiet" small icon="template" label={`${text.templates}  T`} onClick={onTemplate} />
      <Button look="quiet" small icon="list" label={text.choices} onClick={onChoices} />
      <Button
        look="quiet"
        small
        icon="calendar"
        label={text.sendLater}
        aria-pressed={later !== undefined}
        onClick={() => onLater(later === undefined ? firstLater(until, productNow()) : undefined)}
      />
      {later !== undefined && <LaterField later={later} until={until} onLater={onLater} />}
      <span className="grow" />
      <Button type="submit" look="primary" small icon={later === undefined ? 'send' : 'calendar'} disabled={!canSend}>
        {sendWords ?? (later === undefined ? text.send : text.sendLater)}
      </Button>
    </div>
  );
};

const LaterField = ({ later, until, onLater }: { later: string } & Pick<ReplyToolsProps, 'until' | 'onLater'>): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const found = laterProblem(later, until, productNow());
  return (
    <>
      <input
        type="datetime-local"
        className="input later"
        aria-label={text.sendAt}
        min={toFieldTime(productNow())}
        {...(until === null ? {} : { max: toFieldTime(Date.parse(until)) })}
        aria-invalid={found !== undefined}
        aria-describedby="later-problem"
        value={later}
        onChange={({ target }) => onLater(target.value)}
      />
      <span id="later-problem" className="problem" role="status">
        {found === 'early' && text.tooEarly}
        {found === 'late' &&
          until !== null &&
          text.tooLate(formatTime(tag, until, { weekday: 'short', hour: '2-digit', minute: '2-digit' }))}
      </span>
    </>
  );
};

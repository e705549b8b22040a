import type { JSX } from 'react';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Time } from '../../components/time.tsx';
import { SwitchboardProblem } from '../../data/client.ts';
import { isTooOld, mayTryAgain, type Outbox, type Outgoing } from '../../data/outbox.ts';
import { useSession } from '../../data/session.ts';
import { type InboxText, inboxText } from '../../text/inbox.ts';
import { useLocale, useText } from '../../text/text.ts';
import { ProblemLine } from './problem-line.tsx';
import { Ticks } from './ticks.tsx';
import { toastRevert } from './revert-toast.tsx';
import { Words } from '../../components/words.tsx';

interface OutgoingProps {
  outgoing: Outgoing;
  outbox: Outbox;
  continued: boolean;
  /** The field takes the text. */
  onEdit: () => void;
}

/** What this user is sending, before the thread has it; and what was refused, with what to do. */
export const OutgoingBubble = ({ outgoing, outbox, continued, onEdit }: OutgoingProps): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const isFailed = outgoing.state === 'failed';
  const { uploaded = 1, filename } = outgoing;
  return (
    <article className={`message ours ${isFailed ? 'failed' : ''} ${continued ? 'continued' : ''}`} aria-label={text.you}>
      <div className="bubble">
        {filename !== undefined && (
          <span className="file">
            <Icon name="file" size={20} />
            <span className="cut grow">{filename}</span>
          </span>
        )}
        {!isFailed && uploaded < 1 && (
          <progress value={uploaded} aria-label={text.uploading(new Intl.NumberFormat(tag, { style: 'percent' }).format(uploaded))} />
        )}
        {outgoing.text !== '' && <Words text={outgoing.text} />}
        <footer>
          {isFailed ? <span>{text.notSent}</span> : <Time at={outgoing.createdAt} />}
          <Ticks status={isFailed ? 5 : 1} />
        </footer>
      </div>
      {isFailed && <Failed outgoing={outgoing} outbox={outbox} onEdit={onEdit} />}
    </article>
  );
};

const Failed = ({ outgoing, outbox, onEdit }: Omit<OutgoingProps, 'continued'>): JSX.Element => {
  const text = useText(inboxText);
  const { stored, files } = useSession();
  const { key, conversationId } = outgoing;
  const discard = (): void => {
    outbox.discard(key);
    toastRevert(text, text.discarded, () => outbox.putBack(outgoing));
  };
  const edit = (): void => {
    const draft = stored.get(`draft.${conversationId}`);
    stored.set(`draft.${conversationId}`, [draft, outgoing.text].filter((each) => each !== '').join('\n'));
    if (outgoing.file) files.set(conversationId, [...files.get(conversationId), outgoing.file]);
    outbox.discard(key);
    onEdit();
  };
  return (
    <ProblemLine error={outgoing.error} words={wordsOf(text, outgoing)}>
      <Button small look="quiet" onClick={discard}>
        {text.discard}
      </Button>
      <Button small look="quiet" onClick={edit}>
        {text.editText}
      </Button>
      {mayTryAgain(outgoing) && (
        <Button small onClick={() => outbox.retry(key)}>
          {text.sendAgain}
        </Button>
      )}
    </ProblemLine>
  );
};

/** Why it was not sent, where the refusal itself does not say it. */
const wordsOf = (text: InboxText, outgoing: Outgoing): string | undefined => {
  if (isTooOld(outgoing)) return text.refused_old;
  if (!mayTryAgain(outgoing)) return text.refused_fileGone;
  return outgoing.error instanceof SwitchboardProblem ? undefined : text.refused_offline;
};

import { type JSX, lazy, Suspense } from 'react';
import { Icon } from '../../components/icons.tsx';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { ReplyForm, type ReplyFormProps } from './reply-form.tsx';

/** Of many conversations few get a note. */
const NoteForm = lazy(() => import('./note-form.tsx'));

export type Mode = 'reply' | 'note';

interface ComposerProps extends ReplyFormProps {
  mode: Mode;
  /** The field has the focus afterwards. */
  onMode: (mode: Mode) => void;
  /** The focus stays where it is. */
  onSwitch: (mode: Mode) => void;
}

/** Writing to the contact, or a note to the team. */
export const Composer = ({ mode, onMode, onSwitch, ...rest }: ComposerProps): JSX.Element => {
  const text = useText(inboxText);
  return (
    <div className={`composer ${mode}`}>
      <div className="row modes" role="tablist" aria-label={text.message}>
        {(['reply', 'note'] as const).map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            aria-selected={each === mode}
            tabIndex={each === mode ? 0 : -1}
            onClick={() => onMode(each)}
            onKeyDown={(event) => {
              if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
              event.preventDefault();
              const { nextElementSibling, previousElementSibling } = event.currentTarget;
              onSwitch(mode === 'reply' ? 'note' : 'reply');
              const other = nextElementSibling ?? previousElementSibling;
              if (other instanceof HTMLElement) other.focus();
            }}
          >
            <Icon name={each} size={14} />
            {text[each]}
          </button>
        ))}
      </div>
      {mode === 'note' ? (
        <Suspense>
          <NoteForm conversationId={rest.conversation.id} field={rest.field} onDone={() => onMode('reply')} />
        </Suspense>
      ) : (
        <ReplyForm {...rest} />
      )}
    </div>
  );
};

import type { JSX } from 'react';
import type { Conversation } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { useNow } from '../../components/time.tsx';
import { inboxText } from '../../text/inbox.ts';
import { useLocale, useText } from '../../text/text.ts';
import { untilInWords } from './snooze-times.ts';

/** Above the thread, for every colleague: until when the conversation is put away. Who may answer can bring it back. */
const SnoozedLine = ({ conversation, onBack }: { conversation: Conversation; onBack: (() => void) | undefined }): JSX.Element | null => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const now = useNow();
  const { snoozed_until: until } = conversation;
  if (typeof until !== 'string') return null;
  return (
    <p className="snoozed-line">
      <Icon name="clock" />
      <span className="grow cut">{text.snoozedOne(untilInWords(tag, until, now))}</span>
      {onBack && (
        <Button look="quiet" small onClick={onBack}>
          {text.bringBack} <kbd>H</kbd>
        </Button>
      )}
    </p>
  );
};

export default SnoozedLine;

import { type JSX, lazy, Suspense } from 'react';
import type { Conversation } from '../../../client/client.ts';
import { withTexts } from '../../app/with-texts.ts';
import { Opening } from '../../components/opening.tsx';
import { readConversation } from '../../data/conversation-changes.ts';
import { blockText } from '../../text/block.ts';
import { openedText } from '../../text/opened.ts';
import { snoozeText } from '../../text/snooze.ts';
import { useOpen, useOpenNext } from './inbox-list.ts';
import { useChange } from './thread-actions.ts';

const SnoozeDialog = lazy(withTexts([snoozeText], () => import('./snooze-dialog.tsx')));
const BlockDialog = lazy(withTexts([blockText], () => import('./block-dialog.tsx')));
const TemplatePicker = lazy(withTexts([openedText], () => import('./template-picker.tsx')));

export type Dialog = 'snooze' | 'block' | 'templates';

interface ConversationDialogProps {
  dialog: Dialog;
  conversation: Conversation;
  onClose: () => void;
}

/** What is chosen for a conversation in a dialog. */
const ConversationDialog = ({ dialog, conversation, onClose }: ConversationDialogProps): JSX.Element => {
  const snooze = useSnooze(conversation);
  return (
    <Suspense fallback={<Opening />}>
      {dialog === 'snooze' && <SnoozeDialog onClose={onClose} onChoose={snooze} />}
      {dialog === 'block' && <BlockDialog conversation={conversation} onClose={onClose} />}
      {dialog === 'templates' && (
        <TemplatePicker
          recipient={conversation.contact}
          isWindowOpen={conversation.window.open}
          onClose={onClose}
          onSent={() => readConversation(conversation.id)}
        />
      )}
    </Suspense>
  );
};

/** Puts the conversation away until a time, and goes to the next one; undoing it comes back to it. */
const useSnooze = (conversation: Conversation): ((until: string) => void) => {
  const { id } = conversation;
  const change = useChange(conversation);
  const open = useOpen();
  const openNext = useOpenNext(id);
  return (until) => {
    change({ snoozed_until: until }, () => open(id, true));
    openNext();
  };
};

export default ConversationDialog;

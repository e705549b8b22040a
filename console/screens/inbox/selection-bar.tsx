import { type JSX, lazy, Suspense, useState } from 'react';
import type { Conversation } from '../../../client/client.ts';
import { withTexts } from '../../app/with-texts.ts';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { Opening } from '../../components/opening.tsx';
import { formatCount } from '../../components/time.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { changeSeveral, stateBefore, type SeveralChange } from '../../data/conversation-changes.ts';
import { useAssignees } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { snoozeText } from '../../text/snooze.ts';
import { useLocale, useText } from '../../text/text.ts';
import { toastRevert } from './revert-toast.tsx';
import type { Selection } from './selection.ts';

const SnoozeDialog = lazy(withTexts([snoozeText], () => import('./snooze-dialog.tsx')));

/** What can be done with the selected conversations, above the list. */
const SelectionBar = ({
  selection: { ids = new Set(), set },
  conversations,
  isClosed,
}: {
  selection: Selection;
  conversations: readonly Conversation[];
  isClosed: boolean;
}): JSX.Element => {
  const text = useText(inboxText);
  const opened = useText(openedText);
  const { tag } = useLocale();
  const users = useAssignees();
  const [done, setDone] = useState<number>();
  const [isSnoozing, setSnoozing] = useState(false);
  const isDisabled = ids.size === 0 || done !== undefined;
  const run = (change: SeveralChange): void => {
    const before = conversations.filter(({ id }) => ids.has(id));
    setDone(0);
    void changeSeveral([...ids], change, setDone)
      .then((count) => {
        toastRevert(text, opened.bulkDone(count), () => void takeBackSeveral(before, change).catch(toastProblem));
        set(undefined);
      }, toastProblem)
      .finally(() => setDone(undefined));
  };
  return (
    <div className="bulk" role="toolbar" aria-label={text.selectSeveral}>
      <span className="grow numbers cut" aria-live="polite">
        {done === undefined ? opened.selectedCount(ids.size) : opened.bulkProgress(formatCount(tag, done), formatCount(tag, ids.size))}
      </span>
      <Button
        look="quiet"
        small
        icon="select"
        label={opened.selectAll(formatCount(tag, conversations.length))}
        onClick={() => set(new Set(conversations.map(({ id }) => id)))}
      />
      <Button small icon={isClosed ? 'inbox' : 'check'} disabled={isDisabled} onClick={() => run({ status: isClosed ? 'open' : 'closed' })}>
        {isClosed ? text.reopen : text.close}
      </Button>
      <Button small icon="clock" label={text.snooze} disabled={isDisabled} onClick={() => setSnoozing(true)} />
      {isSnoozing && (
        <Suspense fallback={<Opening />}>
          <SnoozeDialog onClose={() => setSnoozing(false)} onChoose={(until) => run({ snoozed_until: until })} />
        </Suspense>
      )}
      {isDisabled ? (
        <Button small icon="user" disabled>
          {text.assign}
        </Button>
      ) : (
        <Menu
          label={text.assign}
          className="button small"
          trigger={
            <>
              <Icon name="user" />
              {text.assign}
            </>
          }
          entries={[
            { id: 'none', label: text.notAssigned, icon: 'close' },
            ...users.map(({ id, name }) => ({ id: String(id), label: name, icon: 'user' as const })),
          ]}
          onSelect={(user) => run({ assigned_to: user === 'none' ? null : Number(user) })}
        />
      )}
      <Button look="quiet" small icon="close" label={opened.selectNone} onClick={() => set(undefined)} />
    </div>
  );
};

export default SelectionBar;

/** As each was before: those that were alike at once. */
const takeBackSeveral = async (before: readonly Conversation[], change: SeveralChange): Promise<void> => {
  const states = new Map<string, { ids: number[]; back: SeveralChange }>();
  for (const conversation of before) {
    const back = stateBefore(conversation, change);
    const name = JSON.stringify(back);
    states.set(name, { back, ids: [...(states.get(name)?.ids ?? []), conversation.id] });
  }
  for (const { ids, back } of states.values()) await changeSeveral(ids, back);
};

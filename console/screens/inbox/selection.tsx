import { type JSX, useCallback, useState } from 'react';
import type { Conversation } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { toast, toastProblem } from '../../components/toasts.tsx';
import { api, type Input } from '../../data/client.ts';
import { refresh } from '../../data/queries.ts';
import { useUsers } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';

/** Which conversations are selected; undefined while none can be. */
export interface Selection {
  ids: ReadonlySet<number> | undefined;
  set: (ids: ReadonlySet<number> | undefined) => void;
  toggle: (id: number) => void;
}

export const useSelection = (): Selection => {
  const [ids, set] = useState<ReadonlySet<number>>();
  const toggle = useCallback(
    (id: number) =>
      set((before) => {
        const after = new Set(before);
        if (!after.delete(id)) after.add(id);
        return after;
      }),
    [],
  );
  return { ids, set, toggle };
};

/** The most that one call changes. */
const mostAtOnce = 100;

/** Closes, opens or assigns all that are selected. What fails stays selected. */
const changeAll = async (ids: readonly number[], changes: Omit<Input<'bulkUpdateConversations'>['body'], 'ids'>): Promise<number> => {
  let count = 0;
  for (let first = 0; first < ids.length; first += mostAtOnce) {
    const { data } = await api.bulkUpdateConversations({ body: { ids: ids.slice(first, first + mostAtOnce), ...changes } });
    count += data.updated.length;
  }
  return count;
};

/** What can be done with the selected conversations, above the list. */
export const SelectionBar = ({
  selection: { ids = new Set(), set },
  conversations,
  isClosed,
}: {
  selection: Selection;
  conversations: readonly Conversation[];
  isClosed: boolean;
}): JSX.Element => {
  const text = useText(inboxText);
  const users = useUsers().filter(({ status }) => status === 'active');
  const [isWorking, setWorking] = useState(false);
  const isDisabled = ids.size === 0 || isWorking;
  const run = (changes: Parameters<typeof changeAll>[1]): void => {
    setWorking(true);
    void changeAll([...ids], changes)
      .then((count) => {
        toast(text.bulkDone(count));
        set(undefined);
      }, toastProblem)
      .finally(() => {
        setWorking(false);
        void refresh('listConversations', 'getConversation', 'getInboxCounts');
      });
  };
  return (
    <div className="bulk" role="toolbar" aria-label={text.selectSeveral}>
      <span className="grow numbers" aria-live="polite">
        {text.selectedCount(ids.size)}
      </span>
      <Button look="quiet" small onClick={() => set(new Set(conversations.map(({ id }) => id)))}>
        {text.selectAll}
      </Button>
      <Button small icon={isClosed ? 'inbox' : 'check'} disabled={isDisabled} onClick={() => run({ status: isClosed ? 'open' : 'closed' })}>
        {isClosed ? text.reopen : text.close}
      </Button>
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
      <Button look="quiet" small icon="close" label={text.selectNone} onClick={() => set(undefined)} />
    </div>
  );
};

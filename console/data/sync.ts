import { useEffect } from 'react';
import { type Answer, api, type Input, SwitchboardProblem } from './client.ts';
import { pauseAfter, pollAnswered, pollFailed } from './connection.ts';
import { showAnswered } from './conversations.ts';
import { applyEvents } from './events.ts';
import { lookNow } from './look.ts';
import { openConversation, viewerOf } from './open-conversation.ts';
import { Pace } from './pace.ts';
import { keyOf, queryClient } from './queries.ts';
import { leaveSession } from './session.ts';
import { showThread, threadOfLook } from './thread.ts';

type Sync = Answer<'getSync'>['data'];
type LookQuery = NonNullable<Input<'getSync'>['query']>;

/**
 * Follows what happens while the shell is open, with one call at a time. It misses nothing: the cursor is the place of the last event that
 * was seen, and an answer is whole: what its events changed comes with them or is read.
 */
export const useSync = (): void => {
  useEffect(() => {
    const stop = new AbortController();
    void follow(stop.signal);
    return () => stop.abort();
  }, []);
};

const follow = async (signal: AbortSignal): Promise<void> => {
  const pace = new Pace(Date.now());
  const looks = looksInOrder(signal);
  const next = { isDue: false, plan: (): void => undefined };
  void import('./doorbell.ts')
    .then(({ followDoorbell }) =>
      followDoorbell(signal, pace, {
        getDoorbell: () => api.getDoorbell({}, { signal }),
        isShown: () => viewerOf(openConversation())?.state() !== undefined,
        onRing: () => next.plan(),
        isEnd,
      }),
    )
    // its chunk did not load: the page looks by its pace
    .catch(() => undefined);
  const onUse = (): void => {
    if (pace.used(Date.now())) next.plan();
  };
  for (const use of ['pointermove', 'pointerdown', 'wheel', 'keydown']) addEventListener(use, onUse, { signal, passive: true });
  const onLookNow = (): void => {
    next.isDue = true;
    // what this page changes has consequences, as what others do
    pace.happened(Date.now());
  };
  addEventListener(lookNow, onLookNow);
  for (let failures = 0; !signal.aborted; ) {
    next.isDue = false;
    try {
      pace.looked(Date.now());
      if (await looks()) pace.happened(Date.now());
      failures = 0;
      pollAnswered();
    } catch (error) {
      if (isEnd(error)) return void leaveSession();
      failures++;
      if (!signal.aborted) pollFailed();
    }
    // what was changed while the last look was on its way, that one may not have seen
    if (!next.isDue || failures > 0) await nextLook(signal, pace, failures, next);
  }
  removeEventListener(lookNow, onLookNow);
};

const isEnd = (error: unknown): boolean => error instanceof SwitchboardProblem && error.status === 401;

/** Looks that each go on where the last one ended; whether something happened. */
export const looksInOrder = (signal: AbortSignal): (() => Promise<boolean>) => {
  let cursor: string | undefined;
  return async () => {
    for (let hasHappened = false; ; ) {
      const id = openConversation();
      const viewer = viewerOf(id);
      const state = viewer?.state();
      const requestedAt = Date.now();
      const query: LookQuery = {
        ...(cursor === undefined ? {} : { after: cursor }),
        ...(id === undefined ? {} : { conversation_id: id, ...threadOfLook(id, requestedAt) }),
        ...(state === undefined ? {} : { state }),
      };
      const { data, meta } = await api.getSync({ query }, { signal }).catch((error: unknown) => {
        viewer?.onOthers([]);
        throw error;
      });
      if (signal.aborted) return false;
      cursor = meta.next_cursor;
      if (id !== undefined && openConversation() === id) viewer?.onOthers(data.others);
      hasHappened = showSync(data, requestedAt, query.messages !== false) || hasHappened;
      if (!meta.has_more) return hasHappened;
    }
  };
};

/** Shows what came, unless something later is shown already, which the next look is compared with; whether something happened. */
const showSync = (
  { events, counts, conversations, unlisted_ids: unlisted, thread }: Sync,
  requestedAt: number,
  areMessagesWanted: boolean,
): boolean => {
  showCounts(counts, requestedAt);
  const isThreadShown = thread !== null && showThread(thread, requestedAt, areMessagesWanted);
  const answered = showAnswered(conversations, unlisted);
  if (events.length > 0) applyEvents(events, { conversations: answered, thread: isThreadShown ? thread.conversation_id : undefined });
  return events.length > 0 || (isThreadShown && thread.messages !== null);
};

const showCounts = (data: Sync['counts'], requestedAt: number): void => {
  const queryKey = keyOf('getInboxCounts', {});
  const { fetchStatus, dataUpdatedAt = 0 } = queryClient.getQueryState(queryKey) ?? {};
  if (fetchStatus === 'fetching' || dataUpdatedAt > requestedAt) return;
  queryClient.setQueryData(queryKey, { status: 'success', message: '', data });
};

/** Waits for the time of the next look, which a ring or a user who is back plans anew, or until the page is seen again, the device is connected, or a look is due by what the page did. */
const nextLook = (signal: AbortSignal, pace: Pace, failures: number, next: { plan: () => void }): Promise<void> =>
  new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (): void => {
      clearTimeout(timer);
      removeEventListener('online', finish);
      removeEventListener(lookNow, finish);
      document.removeEventListener('visibilitychange', onVisibility);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const onVisibility = (): void => {
      if (document.visibilityState === 'visible') finish();
    };
    next.plan = () => {
      clearTimeout(timer);
      timer = setTimeout(finish, pauseAfter(failures, pace.pause(Date.now(), document.visibilityState === 'visible')));
    };
    next.plan();
    addEventListener('online', finish);
    addEventListener(lookNow, finish);
    document.addEventListener('visibilitychange', onVisibility);
    signal.addEventListener('abort', finish);
  });

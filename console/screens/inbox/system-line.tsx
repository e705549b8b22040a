import type { JSX } from 'react';
import { Time, useNow } from '../../components/time.tsx';
import { useMe, useUsers } from '../../data/session.ts';
import type { SystemLine as Line } from '../../data/system-lines.ts';
import { inboxText } from '../../text/inbox.ts';
import { useLocale, useText } from '../../text/text.ts';
import { untilInWords } from './snooze-times.ts';

/** What was done to the conversation, and by whom, in one quiet line. */
export const SystemLine = ({ line: { what, userId, assignee, isByCustomer, at, until } }: { line: Line }): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const now = useNow();
  const me = useMe();
  const users = useUsers();
  const nameOf = (id: number | null): string | undefined => users.find((each) => each.id === id)?.name;
  const by = userId === me.id ? text.you : (nameOf(userId) ?? text.viaApi);
  const isByProduct = what === 'back' && userId === null;
  const isOwn = assignee !== null && assignee === userId;
  const words = isByCustomer
    ? text.lineReopened
    : isByProduct
      ? text.lineBack
      : what === 'snoozed'
        ? text.lineSnoozed(by, untilInWords(tag, until ?? at, now))
        : what === 'assigned'
          ? isOwn
            ? text.lineTook(by)
            : assignee === me.id
              ? text.lineAssignedYou(by)
              : text.lineAssigned(by, nameOf(assignee) ?? '–')
          : { closed: text.lineClosed, opened: text.lineOpened, unassigned: text.lineUnassigned, back: text.lineBroughtBack }[what](by);
  return <QuietLine words={words} at={at} />;
};

/** What is no message, in one line among the messages. */
export const QuietLine = ({ words, at }: { words: string; at: string }): JSX.Element => (
  <p className="system-line">
    <bdi>{words}</bdi> · <Time at={at} />
  </p>
);

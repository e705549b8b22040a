import type { JSX } from 'react';
import { Time } from '../../components/time.tsx';
import { useMe, useUsers } from '../../data/session.ts';
import type { SystemLine as Line } from '../../data/system-lines.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';

/** What was done to the conversation, and by whom, in one quiet line. */
export const SystemLine = ({ line: { what, userId, assignee, isByCustomer, at } }: { line: Line }): JSX.Element => {
  const text = useText(inboxText);
  const me = useMe();
  const users = useUsers();
  const nameOf = (id: number | null): string | undefined => users.find((each) => each.id === id)?.name;
  const by = userId === me.id ? text.you : (nameOf(userId) ?? text.viaApi);
  const isOwn = assignee !== null && assignee === userId;
  const words = isByCustomer
    ? text.lineReopened
    : what === 'assigned'
      ? isOwn
        ? text.lineTook(by)
        : assignee === me.id
          ? text.lineAssignedYou(by)
          : text.lineAssigned(by, nameOf(assignee) ?? '–')
      : { closed: text.lineClosed, opened: text.lineOpened, unassigned: text.lineUnassigned }[what](by);
  return <QuietLine words={words} at={at} />;
};

/** What is no message, in one line among the messages. */
export const QuietLine = ({ words, at }: { words: string; at: string }): JSX.Element => (
  <p className="system-line">
    <bdi>{words}</bdi> · <Time at={at} />
  </p>
);

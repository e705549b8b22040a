import type { JSX } from 'react';
import { Link } from '@tanstack/react-router';
import type { Conversation } from '../../../client/client.ts';
import type { Command } from '../../app/commands.ts';
import { Avatar, Badge, Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { useAssignees, useMay, useUsers } from '../../data/session.ts';
import { formatPhone } from '../../data/phone.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { useChange } from './thread-actions.ts';
import { WindowClock } from './window.tsx';

interface ThreadHeaderProps {
  conversation: Conversation;
  actions: readonly Command[];
  areDetailsOpen: boolean;
  onDetails: () => void;
}

/** Who the conversation is with, until when free text reaches them, and what can be done with it. */
export const ThreadHeader = ({ conversation, actions, areDetailsOpen, onDetails }: ThreadHeaderProps): JSX.Element => {
  const text = useText(inboxText);
  const mayWrite = useMay('member');
  const { contact, window: given } = conversation;
  const name = contact.name ?? formatPhone(contact.phone);
  const close = actions.find(({ id }) => id === 'close');
  const snooze = actions.find(({ id }) => id === 'snooze');
  return (
    <header className="thread-header">
      <Link to="/inbox" search className="button quiet icon back" aria-label={text.backToList}>
        <Icon name="left" />
      </Link>
      <Avatar name={name} size={32} />
      <div className="grow">
        <h2 className="cut" dir="auto">
          {name}
        </h2>
        <div className="row facts">
          {contact.name !== null && <span className="cut numbers">{formatPhone(contact.phone)}</span>}
          {contact.blocked ? <Badge look="bad">{text.blocked}</Badge> : <WindowClock window={given} named />}
        </div>
      </div>
      {mayWrite && <Assignee conversation={conversation} />}
      {close && (
        <Button small onClick={close.run} title={`${close.label}  E`}>
          <Icon name="check" />
          <span className="wide-only">{close.label}</span>
        </Button>
      )}
      {snooze && (
        <Button look="quiet" icon={snooze.icon ?? 'clock'} label={`${snooze.label}  H`} onClick={snooze.run} className="snooze-button" />
      )}
      <Button look="quiet" icon="user" label={text.details} aria-pressed={areDetailsOpen} onClick={onDetails} className="details-button" />
      {actions.length > 0 && (
        <Menu
          label={text.more}
          className="button quiet icon"
          trigger={<Icon name="more" />}
          entries={actions.map(({ id, label, icon, keys }) => ({
            id,
            label,
            ...(icon ? { icon } : {}),
            ...(keys ? { detail: <kbd>{keys}</kbd> } : {}),
          }))}
          onSelect={(chosen) => actions.find(({ id }) => id === chosen)?.run()}
        />
      )}
    </header>
  );
};

/** Who takes care of the conversation, and handing it on. */
const Assignee = ({ conversation }: { conversation: Conversation }): JSX.Element => {
  const text = useText(inboxText);
  const change = useChange(conversation);
  const { assigned_to: assignedTo } = conversation;
  const users = useAssignees();
  const assignee = useUsers().find(({ id }) => id === assignedTo);
  return (
    <Menu
      label={assignee ? text.assignedTo(assignee.name) : `${text.assign}: ${text.notAssigned}`}
      className="button quiet assign"
      trigger={
        <>
          {assignee ? <Avatar name={assignee.name} size={20} /> : <Icon name="user" />}
          <span className="cut wide-only">{assignee ? assignee.name : text.notAssigned}</span>
        </>
      }
      entries={[
        { id: 'none', label: text.notAssigned, icon: 'close' },
        ...users.map(({ id, name }) => ({ id: String(id), label: name, icon: id === assignedTo ? ('check' as const) : ('user' as const) })),
      ]}
      onSelect={(user) => change({ assigned_to: user === 'none' ? null : Number(user) })}
    />
  );
};

import type { JSX } from 'react';
import { Icon, type IconName } from '../../components/icons.tsx';
import { inboxText, type InboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';

interface State {
  name: keyof InboxText;
  icon: IconName;
  look: string;
}

/** The states of a message by number: 0 scheduled, 1 sending, 2 sent, 3 delivered, 4 read, 5 failed, 6 processing. */
const states: Readonly<Record<number, State>> = {
  0: { name: 'scheduled', icon: 'calendar', look: '' },
  1: { name: 'sending', icon: 'clock', look: '' },
  2: { name: 'sent', icon: 'check', look: '' },
  3: { name: 'delivered', icon: 'ticks', look: '' },
  4: { name: 'read', icon: 'ticks', look: 'read' },
  5: { name: 'failed', icon: 'alert', look: 'bad' },
  6: { name: 'sending', icon: 'clock', look: '' },
};
const cancelled: State = { name: 'cancelled', icon: 'close', look: '' };
const unknown: State = { name: 'unknown', icon: 'question', look: 'warn' };

/** The state of a message that we sent. An unknown outcome is a state of its own, and so is what a user took back before it was sent. */
export const Ticks = ({
  status,
  ambiguous = false,
  isCancelled = false,
}: {
  status: number;
  ambiguous?: boolean;
  isCancelled?: boolean;
}): JSX.Element => {
  const text = useText(inboxText);
  const { name, icon, look } = isCancelled ? cancelled : ambiguous && status < 3 ? unknown : (states[status] ?? unknown);
  const label = text[name];
  return (
    <span className={`ticks ${look}`} title={typeof label === 'string' ? label : ''}>
      <Icon name={icon} size={14} {...(typeof label === 'string' ? { label } : {})} />
    </span>
  );
};

import type { JSX } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { isAtLeast, isLaptop, useMe } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';
import { areas } from '../registry.ts';

const Shortcuts = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const text = useText(inboxText);
  const opened = useText(openedText);
  const shell = useText(shellText);
  const { role: mine } = useMe();
  const keys: readonly (readonly [string, string])[] = [
    ['J', opened.keyNext],
    ['K', opened.keyPrevious],
    ['C', text.start],
    ['R', opened.keyReply],
    ['N', opened.keyNote],
    ['T', opened.keyTemplate],
    ['E', opened.keyClose],
    ['H', opened.keySnooze],
    ['A', opened.keyAssign],
    ['M', opened.keyRead],
    ['U', opened.keyUnread],
    ['X', opened.keySelect],
    ['Z', opened.keyRevert],
    ['/', opened.keySearch],
    ['F6', opened.keyRegions],
    ['Enter', opened.keySend],
    ['Shift Enter', opened.keyLine],
    ...(isLaptop ? [['P', opened.keyPhone] as const] : []),
    ['Ctrl K', shell.commands],
    ['Ctrl I', shell.inspector],
    ...areas.filter(({ role }) => isAtLeast(mine, role)).map(({ key, label }) => [`G ${key.toUpperCase()}`, shell[label]] as const),
  ];
  return (
    <Dialog title={text.shortcuts} onClose={onClose}>
      {/* it scrolls on a small screen, and has nothing else to focus */}
      <dl className="shortcuts" tabIndex={0}>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
};
export default Shortcuts;

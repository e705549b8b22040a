import type { JSX } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { isLaptop } from '../../data/session.ts';
import { inboxText } from '../../text/inbox.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';

const Shortcuts = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const text = useText(inboxText);
  const shell = useText(shellText);
  const keys: readonly (readonly [string, string])[] = [
    ['J', text.keyNext],
    ['K', text.keyPrevious],
    ['C', text.start],
    ['R', text.keyReply],
    ['N', text.keyNote],
    ['T', text.keyTemplate],
    ['E', text.keyClose],
    ['H', text.keySnooze],
    ['A', text.keyAssign],
    ['M', text.keyRead],
    ['U', text.keyUnread],
    ['X', text.keySelect],
    ['Z', text.keyRevert],
    ['/', text.keySearch],
    ['F6', text.keyRegions],
    ['Enter', text.keySend],
    ['Shift Enter', text.keyLine],
    ...(isLaptop ? [['P', text.keyPhone] as const] : []),
    ['Ctrl K', shell.commands],
    ['Ctrl I', shell.inspector],
    ['G I', shell.inbox],
    ['G D', shell.developers],
    ['G S', shell.settings],
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

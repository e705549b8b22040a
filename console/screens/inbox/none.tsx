import type { JSX } from 'react';
import { Empty } from '../../components/basics.tsx';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';

/** Beside the list while no conversation is open. */
const NoneOpen = (): JSX.Element => {
  const text = useText(inboxText);
  return (
    <div className="thread none-open">
      <Empty icon="inbox" title={text.choose}>
        <p>{text.chooseHint}</p>
      </Empty>
    </div>
  );
};
export default NoneOpen;

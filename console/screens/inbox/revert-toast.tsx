import { toast } from '../../components/toasts.tsx';
import { Button } from '../../components/basics.tsx';
import { offerRevert } from '../../data/revert.ts';
import type { InboxText } from '../../text/inbox.ts';

const offeredMs = 8_000;

/** Says what was done, and takes it back by its button or by Z while it is shown. */
export const toastRevert = (text: InboxText, done: string, revert: () => void): void => {
  const offer = offerRevert(() => {
    revert();
    dismiss();
  });
  const dismiss = toast(
    <span className="row">
      <span className="grow">{done}</span>
      <Button small look="quiet" onClick={offer.run}>
        {text.revert} <kbd>Z</kbd>
      </Button>
    </span>,
    offeredMs,
  );
  setTimeout(offer.end, offeredMs);
};

import type { JSX } from 'react';
import type { Conversation } from '../../../client/client.ts';
import { ConfirmDialog } from '../../components/form-dialog.tsx';
import { blockContact, unblockContact } from '../../data/contact-blocks.ts';
import { formatPhone } from '../../data/phone.ts';
import { blockText } from '../../text/block.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { toastRevert } from './revert-toast.tsx';

/** Says what blocking the contact of a conversation does, and offers the way back once it is done. */
const BlockDialog = ({ conversation: { id, contact }, onClose }: { conversation: Conversation; onClose: () => void }): JSX.Element => {
  const text = useText(inboxText);
  const words = useText(blockText);
  return (
    <ConfirmDialog
      title={words.title(contact.name ?? formatPhone(contact.phone))}
      action={text.block}
      send={(call) => blockContact(id, call)}
      onDone={() => {
        onClose();
        toastRevert(text, words.done, () => unblockContact(id));
      }}
      onClose={onClose}
    >
      <p>{words.hint}</p>
    </ConfirmDialog>
  );
};
export default BlockDialog;

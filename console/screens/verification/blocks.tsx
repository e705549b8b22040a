import type { JSX } from 'react';
import type { VerificationBlock } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { menus, times } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { ConfirmDialog } from '../../components/form-dialog.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useRows } from '../../data/pages.ts';
import { refresh } from '../../data/queries.ts';
import { verificationText } from '../../text/verification.ts';
import { useText } from '../../text/text.ts';
import { useProfiles } from './profiles.tsx';

/** Who gets no codes for now, why, and until when; a block that hits the wrong one is ended here. */
const Blocks = (): JSX.Element => {
  const text = useText(verificationText);
  const { profile, nameOf, filter } = useProfiles();
  const { dialog, open, close } = useDialog();
  const input = { query: { limit: 100, ...(profile === undefined ? {} : { profile_id: profile }) } };
  const { rows, hasMore, readOn, ...query } = useRows('listVerificationBlocks', input);
  useInspectable({ title: text.blocks, call: { operation: 'listVerificationBlocks', input } });
  const kinds: Readonly<Record<VerificationBlock['kind'], string>> = {
    identifier: text.ofIdentifier,
    ip: text.ofAddress,
    prefix: text.ofPrefix,
  };
  const end = ({ id, subject }: VerificationBlock): void =>
    open(
      <ConfirmDialog
        title={`${text.unblock}: ${subject}`}
        action={text.unblock}
        send={(call) => api.deleteVerificationBlock({ params: { id } }, call)}
        onDone={() => {
          close();
          toast(text.unblocked);
          void refresh('listVerificationBlocks');
        }}
        onClose={close}
      >
        <p>{text.unblockText}</p>
      </ConfirmDialog>,
    );
  return (
    <TablePage
      title={text.blocks}
      file="verification-blocks"
      query={query}
      rows={rows}
      columns={[
        { id: 'subject', name: text.who, width: 'minmax(8rem, 1fr)', value: ({ subject }) => subject },
        { id: 'kind', name: text.kind, width: '9rem', value: ({ kind }) => kinds[kind], isExtra: true },
        { id: 'reason', name: text.reason, width: 'minmax(8rem, 1fr)', value: ({ reason }) => reason },
        { id: 'profile', name: text.profile, width: 'minmax(6rem, 1fr)', value: ({ profile_id: id }) => nameOf(id), isExtra: true },
        times('blocked_until', text.until, { width: '9rem', isNumber: true }),
        menus<VerificationBlock>(
          text.actions,
          ({ subject }) => subject,
          (block) => [{ id: 'unblock', label: text.unblock, icon: 'check', run: () => end(block) }],
        ),
      ]}
      filters={filter}
      empty={{ icon: 'shield', title: text.noBlocks, hint: text.noBlocksHint }}
      hasMore={hasMore}
      onEnd={readOn}
    >
      {dialog}
    </TablePage>
  );
};
export default Blocks;

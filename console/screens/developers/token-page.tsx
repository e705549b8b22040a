import { type JSX, type ReactNode, useState } from 'react';
import type { Token } from '../../../client/client.ts';
import { CheckField, SelectField } from '../../components/fields.tsx';
import { badges, menus, type RowAction, times } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { ConfirmDialog, FormDialog } from '../../components/form-dialog.tsx';
import type { IconName } from '../../components/icons.tsx';
import { type Secret, SecretDialog } from '../../components/secret.tsx';
import type { Column } from '../../components/table.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { toast } from '../../components/toasts.tsx';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';

interface CallOptions {
  idempotencyKey: string;
}

export interface NewTokenProps<S> {
  onCreated: (made: S) => void;
  onClose: () => void;
}

interface TokenPageProps<S> {
  title: string;
  file: string;
  empty: { icon: IconName; title: string; hint: string };
  /** The operation that lists them, and what it answered. */
  operation: 'listTokens' | 'listMachineTokens';
  query: { data: { data: Token[] } | undefined; error: Error | null; isPending: boolean; refetch: () => unknown };
  nameOf: (token: Token) => string;
  /** Between the name and the last use; and between this and the status. */
  columns: readonly Column<Token>[];
  ends: Column<Token>;
  filters?: ReactNode;
  more?: (token: Token, open: (dialog: ReactNode) => void, close: () => void) => readonly RowAction[];
  create: { label: string; dialog: (given: NewTokenProps<S>) => JSX.Element };
  /** Over the secrets of a token that is new, or has a new one. */
  titles: { created: string; rotated: string };
  secretsOf: (made: S) => Secret[];
  rotate: (id: number, overlapHours: number, call: CallOptions) => Promise<{ data: S }>;
  revoke: (id: number, call: CallOptions) => Promise<unknown>;
}

/** Tokens of one kind: when they were used, with or without those that are over. A secret is shown once, when it is made. */
export const TokenPage = <S,>({ operation, query, nameOf, create, titles, secretsOf, ...rest }: TokenPageProps<S>): JSX.Element => {
  const { columns, ends, more = () => [], rotate, revoke, filters, ...shown } = rest;
  const text = useText(developersText);
  const [withRevoked, setWithRevoked] = useFilter('revoked');
  const { dialog, open, close } = useDialog();
  const show = (title: string, made: S): void => {
    open(<SecretDialog title={title} secrets={secretsOf(made)} onClose={close} />);
    void refresh(operation);
  };
  const revoked = (): void => {
    close();
    void refresh(operation);
  };
  const actionsOf = (token: Token): RowAction[] => {
    const named = { name: nameOf(token), onClose: close };
    const startRotate = (): void =>
      open(
        <RotateDialog
          {...named}
          rotate={(overlap, call) => rotate(token.id, overlap, call)}
          onRotated={({ data }) => show(titles.rotated, data)}
        />,
      );
    const startRevoke = (): void => open(<RevokeDialog {...named} revoke={(call) => revoke(token.id, call)} onRevoked={revoked} />);
    return [
      { id: 'rotate', label: text.rotate, icon: 'refresh', run: startRotate },
      ...more(token, open, close),
      { id: 'revoke', label: text.revoke, icon: 'trash', danger: true, run: startRevoke },
    ];
  };
  return (
    <TablePage
      {...shown}
      query={query}
      rows={(query.data?.data ?? []).filter(({ status }) => withRevoked !== undefined || status === 'active')}
      columns={[
        {
          id: 'name',
          name: text.name,
          width: 'minmax(8rem, 2fr)',
          value: nameOf,
          cell: (token) => <Name name={nameOf(token)} token={token} />,
        },
        ...columns,
        times('last_used_at', text.lastUsed, { width: '6rem', none: text.never, isExtra: true }),
        ends,
        badges<Token>({ id: 'status', name: text.status, width: '5.5rem', value: ({ status }) => text[status] }, ({ status }) =>
          status === 'active' ? undefined : 'warn',
        ),
        menus(text.actions, nameOf, (token) => (token.status === 'active' ? actionsOf(token) : [])),
      ]}
      create={{
        label: create.label,
        onCreate: () => open(<create.dialog onCreated={(made) => show(titles.created, made)} onClose={close} />),
      }}
      filters={
        <>
          {filters}
          <CheckField label={text.showRevoked} checked={withRevoked !== undefined} onCheck={(on) => setWithRevoked(on ? '1' : undefined)} />
        </>
      }
    >
      {dialog}
    </TablePage>
  );
};

const Name = ({ name, token }: { name: string; token: Token }): JSX.Element => (
  <span title={name}>
    <strong>{name}</strong> <code className="muted">…{token.last4}</code>
  </span>
);

/** Replaces the secret of a token, and says how long the former one still works. */
const RotateDialog = <R,>({
  name,
  rotate,
  onRotated,
  onClose,
}: {
  name: string;
  rotate: (overlapHours: number, call: CallOptions) => Promise<R>;
  onRotated: (answer: R) => void;
  onClose: () => void;
}): JSX.Element => {
  const text = useText(developersText);
  const [hours, setHours] = useState('24');
  const write = useWrite(rotate, onRotated);
  return (
    <FormDialog
      title={text.rotateTitle(name)}
      action={text.rotate}
      write={write}
      onSubmit={() => write.run(Number(hours))}
      onClose={onClose}
    >
      <p className="muted">{text.rotateText}</p>
      <SelectField
        label={text.overlap}
        value={hours}
        onText={setHours}
        choices={[
          ['24', text.overlapHours(24)],
          ['1', text.overlapHours(1)],
          ['168', text.overlapDays(7)],
          ['0', text.overlapNone],
        ]}
      />
    </FormDialog>
  );
};

type RevokeDialogProps = { name: string; revoke: (call: CallOptions) => Promise<unknown>; onRevoked: () => void; onClose: () => void };

/** Ends a token for good. */
const RevokeDialog = ({ name, revoke, onRevoked, onClose }: RevokeDialogProps): JSX.Element => {
  const text = useText(developersText);
  return (
    <ConfirmDialog
      title={text.revokeTitle(name)}
      action={text.revoke}
      send={revoke}
      onDone={() => {
        toast(text.revokedToast(name));
        onRevoked();
      }}
      onClose={onClose}
    >
      <p>{text.revokeText}</p>
    </ConfirmDialog>
  );
};

import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, Button } from '../../components/basics.tsx';
import { named, times } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { ConfirmDialog } from '../../components/form-dialog.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { leaveEverywhere } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import { deviceWords } from './device-words.ts';
import { Passkeys } from './passkeys.tsx';

/** Browsers in which the user is signed in, to sign out of those that are not at hand. */
const Sessions = (): JSX.Element => {
  const text = useText(settingsText);
  const query = useQuery(read('listSessions'));
  const { dialog, open, close } = useDialog();
  useInspectable({ title: text.sessions, object: query.data?.data, call: { operation: 'listSessions', input: {} } });
  const rows = query.data?.data ?? [];
  const others = rows.filter(({ is_current }) => !is_current);
  const startEnd = (sessions: readonly Session[]): void => open(<EndSessions sessions={sessions} onClose={close} />);
  const signedInBy = { token: text.byToken, email_code: text.byEmail, passkey: text.byPasskey };
  return (
    <TablePage
      title={text.sessions}
      file="sessions"
      query={query}
      rows={rows}
      columns={[
        {
          id: 'device',
          name: text.device,
          width: 'minmax(9rem, 2fr)',
          value: ({ device }) => deviceWords(text, device),
          cell: ({ device, is_current }) => named(deviceWords(text, device), is_current && <Badge look="info">{text.thisDevice}</Badge>),
        },
        {
          id: 'by',
          name: text.signedInBy,
          width: 'minmax(7rem, 1fr)',
          value: ({ signed_in_by }) => signedInBy[signed_in_by],
          isExtra: true,
        },
        times('last_used_at', text.lastUsed, { width: '5rem' }),
        times('created_at', text.created, { width: '9rem', isLong: true, isExtra: true }),
        times('expires_at', text.ends, { width: '9rem', isLong: true, isExtra: true }),
        {
          id: 'actions',
          name: '',
          width: '6.5rem',
          value: () => '',
          isNumber: true,
          cell: (session) =>
            !session.is_current && (
              <Button small aria-label={`${text.end}: ${deviceWords(text, session.device)}`} onClick={() => startEnd([session])}>
                {text.end}
              </Button>
            ),
        },
      ]}
      actions={
        <>
          <Button onClick={() => open(<Passkeys onClose={close} />)}>{text.passkeys}</Button>
          {others.length > 1 && <Button onClick={() => startEnd(others)}>{text.endOthers}</Button>}
          <Button onClick={() => open(<SignOutEverywhere onClose={close} />)}>{text.endEverywhere}</Button>
        </>
      }
      filters={<span className="muted">{text.sessionsHint}</span>}
    >
      {dialog}
    </TablePage>
  );
};
export default Sessions;

/** Where a browser or its cookie was lost: this one is signed out too. */
const SignOutEverywhere = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const text = useText(settingsText);
  return (
    <ConfirmDialog
      title={text.endEverywhere}
      action={text.endEverywhere}
      send={() => api.signOutEverywhere({ body: {} })}
      onDone={() => void leaveEverywhere()}
      onClose={onClose}
    >
      <p>{text.endEverywhereText}</p>
    </ConfirmDialog>
  );
};

const EndSessions = ({ sessions, onClose }: { sessions: readonly Session[]; onClose: () => void }): JSX.Element => {
  const text = useText(settingsText);
  const [one] = sessions.length === 1 ? sessions : [];
  return (
    <ConfirmDialog
      title={one ? text.endTitle(deviceWords(text, one.device)) : text.endOthers}
      action={text.end}
      send={async () => {
        for (const { id } of sessions) await api.deleteSession({ params: { id } });
      }}
      onDone={() => {
        onClose();
        toast(text.ended);
        void refresh('listSessions');
      }}
      onClose={onClose}
    >
      <p>{one ? text.endText : text.endOthersText}</p>
    </ConfirmDialog>
  );
};

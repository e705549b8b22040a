import { type JSX, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, Button, Loading } from '../../components/basics.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Column, CsvButton, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import { Passkeys } from './passkeys.tsx';

/** Browsers in which the user is signed in, to sign out of those that are not at hand. */
const Sessions = (): JSX.Element => {
  const text = useText(settingsText);
  const { data, error, isPending, refetch } = useQuery(read('listSessions'));
  const [ending, setEnding] = useState<readonly Session[]>();
  const [showsPasskeys, setShowsPasskeys] = useState(false);
  useInspectable({ title: text.sessions, object: data?.data, call: { operation: 'listSessions', input: {} } });
  const rows = data?.data ?? [];
  const others = rows.filter(({ is_current }) => !is_current);
  const end = useWrite(
    async (sessions: readonly Session[]) => {
      for (const { id } of sessions) await api.deleteSession({ params: { id } });
    },
    () => {
      setEnding(undefined);
      toast(text.ended);
      void refresh('listSessions');
    },
  );
  const columns = useMemo(
    (): Column<Session>[] => [
      {
        id: 'device',
        name: text.device,
        width: 'minmax(9rem, 2fr)',
        value: ({ device }) => device,
        cell: ({ device, is_current }) => (
          <span className="row">
            <span className="cut" title={device}>
              {device}
            </span>
            {is_current && <Badge look="info">{text.thisDevice}</Badge>}
          </span>
        ),
      },
      {
        id: 'by',
        name: text.signedInBy,
        width: 'minmax(7rem, 1fr)',
        value: ({ signed_in_by }) => ({ token: text.byToken, email_code: text.byEmail, passkey: text.byPasskey })[signed_in_by],
        isExtra: true,
      },
      {
        id: 'used',
        name: text.lastUsed,
        width: '5rem',
        value: ({ last_used_at }) => last_used_at,
        cell: ({ last_used_at }) => <Time at={last_used_at} />,
      },
      {
        id: 'created',
        name: text.created,
        width: '9rem',
        value: ({ created_at }) => created_at,
        cell: ({ created_at }) => <Time at={created_at} long />,
        isExtra: true,
      },
      {
        id: 'ends',
        name: text.ends,
        width: '9rem',
        value: ({ expires_at }) => expires_at,
        cell: ({ expires_at }) => <Time at={expires_at} long />,
        isExtra: true,
      },
      {
        id: 'actions',
        name: '',
        width: '6.5rem',
        value: () => '',
        isNumber: true,
        cell: (session) =>
          session.is_current ? null : (
            <Button small aria-label={`${text.end}: ${session.device}`} onClick={() => setEnding([session])}>
              {text.end}
            </Button>
          ),
      },
    ],
    [text],
  );
  return (
    <Page
      title={text.sessions}
      isTable
      actions={
        <>
          <CsvButton name="sessions" columns={columns.slice(0, -1)} rows={rows} />
          <Button onClick={() => setShowsPasskeys(true)}>{text.passkeys}</Button>
          {others.length > 1 && <Button onClick={() => setEnding(others)}>{text.endOthers}</Button>}
        </>
      }
      filters={<span className="muted">{text.sessionsHint}</span>}
    >
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {rows.length > 0 && <Table label={text.sessions} columns={columns} rows={rows} keyOf={({ id }) => id} />}
      {showsPasskeys && <Passkeys onClose={() => setShowsPasskeys(false)} />}
      {ending && (
        <FormDialog
          title={ending.length === 1 ? text.endTitle(ending[0]?.device ?? '') : text.endOthers}
          action={text.end}
          isDanger
          write={end}
          onSubmit={() => end.run(ending)}
          onClose={() => setEnding(undefined)}
        >
          <p>{ending.length === 1 ? text.endText : text.endOthersText}</p>
        </FormDialog>
      )}
    </Page>
  );
};
export default Sessions;

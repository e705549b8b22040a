import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { LoggedRequest } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, type BadgeLook, Button, Copyable } from '../../components/basics.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { badges, opening, times } from '../../components/columns.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { Icon } from '../../components/icons.tsx';
import { Facts } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { Time } from '../../components/time.tsx';
import { useRows } from '../../data/pages.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay } from '../../data/session.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { CodeBox, readable } from '../../components/code-box.tsx';

const outcomes = ['ok', 'refused', 'failed'] as const;
const lookOf = ({ status }: Pick<LoggedRequest, 'status'>): BadgeLook => (status < 400 ? 'good' : status < 500 ? 'warn' : 'bad');

/** The calls of the company's own programs: what was refused, why, and what was sent. */
const Requests = (): JSX.Element => {
  const text = useText(developersText);
  const number = useNumber();
  const [status, setStatus] = useFilter('status');
  const [credential, setCredential] = useFilter('credential');
  const [operation, setOperation] = useFilter('operation');
  const [opened, setOpened] = useFilter('entry');
  const outcome = outcomes.find((each) => each === status);
  const input = {
    query: {
      limit: 100,
      ...(outcome === undefined ? {} : { outcome }),
      ...(operation === undefined ? {} : { operation }),
      ...(credential === undefined ? {} : { credential_id: Number(credential) }),
    },
  };
  const { rows, hasMore, readOn, ...query } = useRows('listLoggedRequests', input);
  const { nameOf, tokens } = useTokenNames();
  useInspectable({ title: text.requests, call: { operation: 'listLoggedRequests', input } });
  const { shown, failure } = useOpened(rows, query.isPending ? undefined : opened);
  const outcomeNames = { ok: text.outcomeOk, refused: text.outcomeRefused, failed: text.outcomeFailed };
  const isFiltered = [outcome, credential, operation].some((each) => each !== undefined);
  const operations = [...new Set([...(operation === undefined ? [] : [operation]), ...rows.map((row) => row.operation)])].toSorted();
  return (
    <TablePage
      title={text.requests}
      file="requests"
      query={query}
      rows={rows}
      columns={[
        opening<LoggedRequest>(
          { id: 'operation', name: text.operation, width: 'minmax(8rem, 2fr)', value: (row) => row.operation },
          setOpened,
        ),
        badges({ id: 'status', name: text.status, width: '5rem', value: (row) => row.status, isNumber: true }, lookOf),
        {
          id: 'code',
          name: text.result,
          width: 'minmax(8rem, 2fr)',
          value: whyOf,
          cell: (row) => <span title={whyOf(row)}>{whyOf(row)}</span>,
          isExtra: true,
        },
        { id: 'token', name: text.ofToken, width: 'minmax(6rem, 1fr)', value: nameOf, isExtra: true },
        { id: 'took', name: text.took, width: '5.5rem', value: (row) => `${number(row.duration_ms)} ms`, isNumber: true, isExtra: true },
        times('at', text.time, { width: '9rem', isNumber: true, isExact: true }),
      ]}
      actions={
        <Button icon="refresh" onClick={() => void query.refetch()}>
          {text.refresh}
        </Button>
      }
      filters={
        <>
          <FilterSelect
            label={text.outcome}
            value={status}
            choices={[['', text.all], ...outcomes.map((each) => [each, outcomeNames[each]] as const)]}
            onText={setStatus}
          />
          <FilterSelect
            label={text.operation}
            value={operation}
            choices={[['', text.all], ...operations.map((each) => [each, each] as const)]}
            onText={setOperation}
          />
          <FilterSelect label={text.ofToken} value={credential} choices={[['', text.all], ...tokens]} onText={setCredential} />
        </>
      }
      empty={isFiltered ? { icon: 'list', title: text.noMatch } : { icon: 'list', title: text.noRequests, hint: text.noRequestsHint }}
      hasMore={hasMore}
      onEnd={readOn}
    >
      {failure}
      {shown && <RequestDialog request={shown} token={nameOf(shown)} onClose={() => setOpened(undefined)} />}
    </TablePage>
  );
};
export default Requests;

/** The request that the address names: of the list, or by itself, since a link may name one that is on no page that was read. */
const useOpened = (
  rows: readonly LoggedRequest[],
  opened: string | undefined,
): { shown: LoggedRequest | undefined; failure: JSX.Element | undefined } => {
  const listed = rows.find(({ id }) => id === opened);
  const isElsewhere = opened !== undefined && listed === undefined;
  const { data, error, refetch } = useQuery({
    ...read('getLoggedRequest', { params: { request_id: opened ?? '' } }),
    enabled: isElsewhere,
  });
  return {
    shown: listed ?? (isElsewhere ? data?.data : undefined),
    failure: isElsewhere && error ? <ProblemCard error={error} onRetry={() => void refetch()} /> : undefined,
  };
};

const whyOf = ({ code, fields }: LoggedRequest): string => [code, fields.join(', ')].filter(Boolean).join(': ');

/** Tokens by the names that their users gave them, which an owner sees of all and an admin of the own ones; another credential has its kind and its id. */
const useTokenNames = (): { nameOf: (row: LoggedRequest) => string; tokens: (readonly [string, string])[] } => {
  const text = useText(developersText);
  const isOwner = useMay('owner');
  const tokens = useQuery(read('listTokens', { query: isOwner ? { all: true } : {} })).data?.data ?? [];
  const nameOfToken = (id: number): string | undefined => {
    const name = tokens.find((token) => token.id === id)?.name;
    return name === '' ? text.unnamed : name;
  };
  return {
    nameOf: ({ credential: { id, kind } }) => (kind === 'token' ? nameOfToken(id) : undefined) ?? `${kind} ${id}`,
    tokens: tokens.map(({ id }) => [String(id), `${nameOfToken(id) ?? ''} (${id})`] as const),
  };
};

type RequestDialogProps = { request: LoggedRequest; token: string; onClose: () => void };
/** One call: who made it, how it ended, and what was sent and answered where the company logs that. */
const RequestDialog = ({ request, token, onClose }: RequestDialogProps): JSX.Element => {
  const text = useText(developersText);
  const number = useNumber();
  const whole = useQuery({ ...read('getLoggedRequest', { params: { request_id: request.id } }), enabled: request.has_bodies });
  const { request_body: sent, answer_body: got } = whole.data?.data ?? { request_body: null, answer_body: null };
  return (
    <Dialog
      title={request.operation}
      onClose={onClose}
      wide
      footer={
        <Link className="button" to="/developers/reference" search={{ operation: request.operation }}>
          <Icon name="file" />
          {text.reference}
        </Link>
      }
    >
      <Facts
        facts={[
          [
            text.status,
            <Badge key="status" look={lookOf(request)}>
              HTTP {request.status}
            </Badge>,
          ],
          whyOf(request) === '' ? undefined : [text.result, whyOf(request)],
          [text.time, <Time key="time" at={request.at} exact />],
          [text.took, `${number(request.duration_ms)} ms`],
          [text.ofToken, token],
          [text.calledFrom, request.user_agent === null ? request.ip : `${request.ip} · ${request.user_agent}`],
          ['Id', <Copyable key="id" value={request.id} />],
        ]}
      />
      {whole.error && <ProblemCard error={whole.error} onRetry={() => void whole.refetch()} />}
      <div className="detail-grid">
        <div>
          <h3>{text.request}</h3>
          <CodeBox label={text.request} value={`${request.method} ${request.path}${sent === null ? '' : `\n\n${readable(sent)}`}`} />
        </div>
        {got !== null && (
          <div>
            <h3>{text.response}</h3>
            <CodeBox label={text.response} value={readable(got)} />
          </div>
        )}
      </div>
      {!request.has_bodies && <p className="muted">{text.noBodiesHint}</p>}
    </Dialog>
  );
};

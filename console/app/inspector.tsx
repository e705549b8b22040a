import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { operationsById } from '../../client/client.ts';
import { Badge, Button, CopyButton, Loading } from '../components/basics.tsx';
import { ProblemCard } from '../components/problem.tsx';
import { formatTime, Time } from '../components/time.tsx';
import { read } from '../data/queries.ts';
import { useRequestLog } from '../data/request-log.ts';
import { shellQuoted } from '../data/shell.ts';
import { inspectorText } from '../text/inspector.ts';
import { shellText } from '../text/shell.ts';
import { useLocale, useText } from '../text/text.ts';
import { type Inspected, useInspected } from './inspected.ts';
import './inspector.css';

const tabs = ['object', 'events', 'requests', 'code'] as const;
type Tab = (typeof tabs)[number];

/** What the page shows, as the API gives it: the record, its events, the calls of this page, and the call as code. */
const Inspector = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const text = useText(shellText);
  const words = useText(inspectorText);
  const [tab, setTab] = useState<Tab>('object');
  const inspected = useInspected();
  const Panel = panels[tab];
  return (
    <aside className="inspector" aria-label={text.inspector}>
      <header className="row">
        <h2 className="grow cut">{inspected?.title ?? text.inspector}</h2>
        <Button look="quiet" small icon="close" label={text.close} onClick={onClose} />
      </header>
      <div className="tabs" role="tablist" aria-label={text.inspector}>
        {tabs.map((each) => (
          <button key={each} type="button" role="tab" aria-selected={each === tab} onClick={() => setTab(each)}>
            {words[each]}
          </button>
        ))}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a panel that scrolls has to be reached by keys */}
      <div className="inspector-panel" role="tabpanel" tabIndex={0} aria-label={words[tab]}>
        <Panel inspected={inspected} />
      </div>
    </aside>
  );
};
export default Inspector;

type PanelProps = { inspected: Inspected | undefined };

const ObjectPanel = ({ inspected }: PanelProps): JSX.Element => {
  const text = useText(inspectorText);
  if (inspected?.object === undefined) return <p className="muted">{text.noObject}</p>;
  return <Code value={JSON.stringify(inspected.object, undefined, 2)} />;
};

const EventsPanel = ({ inspected }: PanelProps): JSX.Element => {
  const text = useText(inspectorText);
  const subject = inspected?.subject;
  const { data, error } = useQuery({
    ...read('listEvents', { query: { limit: 50, ...(subject === undefined ? {} : { subject }) } }),
    refetchInterval: 5_000,
  });
  if (error) return <ProblemCard error={error} />;
  if (!data) return <Loading rows={4} />;
  if (data.data.length === 0) return <p className="muted">{text.noEvents}</p>;
  return (
    <ol className="stack">
      {data.data.toReversed().map((event) => (
        <li key={event.id}>
          <details>
            <summary>
              <code className="grow cut">{event.type}</code>
              <Time at={event.at} />
            </summary>
            <Code value={JSON.stringify(event, undefined, 2)} />
          </details>
        </li>
      ))}
    </ol>
  );
};

const RequestsPanel = (): JSX.Element => {
  const text = useText(inspectorText);
  const { tag } = useLocale();
  const requests = useRequestLog().filter(({ path }) => !path.startsWith('/api/v1/events?after'));
  if (requests.length === 0) return <p className="muted">{text.noRequests}</p>;
  return (
    <ol className="requests">
      {requests.map((each) => (
        <li key={`${each.startedAt}-${each.requestId ?? each.path}`}>
          <div className="row">
            <Badge look={each.status >= 400 || each.status === 0 ? 'bad' : 'good'}>{each.status || '—'}</Badge>
            <code className="cut grow" title={each.path}>
              {each.method} {each.path}
            </code>
          </div>
          <div className="row muted numbers">
            <span>{formatTime(tag, each.startedAt, { timeStyle: 'medium' })}</span>
            <span>{each.ms} ms</span>
            <code className="cut grow">{each.requestId}</code>
            {each.requestId !== undefined && <CopyButton value={each.requestId} />}
          </div>
        </li>
      ))}
    </ol>
  );
};

const CodePanel = ({ inspected }: PanelProps): JSX.Element => {
  const text = useText(inspectorText);
  if (!inspected?.call) return <p className="muted">{text.noObject}</p>;
  return (
    <div className="stack">
      <h3>{text.asCurl}</h3>
      <Code value={asCurl(inspected.call)} />
      <h3>{text.asTypeScript}</h3>
      <Code value={asTypeScript(inspected.call)} />
    </div>
  );
};

const panels = { object: ObjectPanel, events: EventsPanel, requests: RequestsPanel, code: CodePanel };

const Code = ({ value }: { value: string }): JSX.Element => (
  <div className="code-box">
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
    <pre className="code" tabIndex={0}>
      {value}
    </pre>
    <CopyButton value={value} />
  </div>
);

type Call = NonNullable<Inspected['call']>;
interface Parts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** The present view as a call of curl. The token is the caller's own: `$TOKEN`. */
const asCurl = ({ operation, input }: Call): string => {
  const { method, path } = operationsById[operation];
  const { params = {}, query = {}, body } = input as Parts;
  const filled = path.replace(/\{([a-z_]+)\}/g, (_: string, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)]],
    ),
  );
  const address = `${location.origin}${filled}${search.size > 0 ? `?${search.toString()}` : ''}`;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(address)} \\`,
    `  -H "Authorization: Bearer $TOKEN"${body === undefined ? '' : ' \\'}`,
    ...(body === undefined ? [] : [`  -H 'Content-Type: application/json' -d ${shellQuoted(JSON.stringify(body))}`]),
  ].join('\n');
};

const asTypeScript = ({ operation, input }: Call): string =>
  [
    `import { switchboard } from 'switchboard-client';`,
    ``,
    `const api = switchboard({ baseUrl: '${location.origin}', token: process.env.TOKEN });`,
    `const { data } = await api.${operationsById[operation].name}(${JSON.stringify(input, undefined, 2).replace(/"([a-z_]+)":/gi, '$1:')});`,
  ].join('\n');

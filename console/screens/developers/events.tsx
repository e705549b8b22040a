import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useInspectable } from '../../app/inspected.ts';
import { Loading } from '../../components/basics.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Time } from '../../components/time.tsx';
import { read } from '../../data/queries.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';

/** The event log, newest first. */
const Events = (): JSX.Element => {
  const text = useText(developersText);
  const input = { query: { limit: 100 } };
  const { data, error, refetch } = useQuery({ ...read('listEvents', input), refetchInterval: 5_000 });
  useInspectable({ title: text.events, call: { operation: 'listEvents', input } });
  return (
    <div className="page">
      <header className="page-header">
        <h1>{text.events}</h1>
      </header>
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <div className="page-body table-wrap" style={{ padding: 0 }}>
          <table className="table">
            <tbody>
              {data.data.map(({ id, type, subject, at }) => (
                <tr key={id}>
                  <td>
                    <code>{type}</code>
                  </td>
                  <td>
                    <code>{subject}</code>
                  </td>
                  <td className="end">
                    <Time at={at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
};
export default Events;

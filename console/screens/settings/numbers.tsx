import { type JSX, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, Empty, Loading } from '../../components/basics.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { Icon } from '../../components/icons.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Column, CsvButton, Table } from '../../components/table.tsx';
import type { Answer } from '../../data/client.ts';
import { read } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import { Quality, useLimit } from './number-state.tsx';

type BusinessNumber = Answer<'listNumbers'>['data'][number];

/** The company's own numbers: what the provider says of them, and how fast they send. */
const Numbers = (): JSX.Element => {
  const text = useText(settingsText);
  const number = useNumber();
  const limit = useLimit();
  const mayWrite = useMay('admin');
  const { data, error, isPending, refetch } = useQuery(read('listNumbers'));
  useInspectable({ title: text.numbers, object: data?.data, call: { operation: 'listNumbers', input: {} } });
  const rows = data?.data ?? [];
  const columns = useMemo(
    (): Column<BusinessNumber>[] => [
      {
        id: 'phone',
        name: text.phone,
        width: 'minmax(9rem, 2fr)',
        value: ({ phone }) => phone,
        cell: ({ id, phone, is_default }) => (
          <span className="row">
            <Link className="row-link numbers" to={`/settings/numbers/${id}` as never} dir="ltr">
              +{phone}
            </Link>
            {is_default && <Badge look="info">{text.isDefault}</Badge>}
          </span>
        ),
      },
      {
        id: 'quality',
        name: text.quality,
        width: '7rem',
        value: ({ quality }) => quality,
        cell: ({ quality }) => <Quality quality={quality} />,
      },
      { id: 'limit', name: text.limit, width: 'minmax(7rem, 1fr)', value: ({ messaging_limit }) => limit(messaging_limit), isExtra: true },
      {
        id: 'rate',
        name: text.pace,
        width: 'minmax(7rem, 1fr)',
        value: ({ rate }) => rate,
        cell: ({ rate }) => text.paceOf(number(rate)),
        isExtra: true,
      },
      {
        id: 'restrictions',
        name: text.restrictions,
        width: 'minmax(7rem, 1fr)',
        value: ({ restrictions }) => restrictions.map(({ type }) => type).join(' '),
        cell: ({ restrictions }) =>
          restrictions.length === 0 ? (
            <span className="muted">{text.none}</span>
          ) : (
            <Badge look="bad">{restrictions.map(({ type }) => type).join(', ')}</Badge>
          ),
        isExtra: true,
      },
      {
        id: 'status',
        name: text.status,
        width: '5.5rem',
        value: ({ status }) => text[status],
        cell: ({ status }) => <Badge look={status === 'active' ? 'good' : ''}>{text[status]}</Badge>,
        isExtra: true,
      },
    ],
    [text, number, limit],
  );
  const connect = (
    <Link className="button primary" to={'/settings/numbers/connect' as never}>
      <Icon name="plus" />
      {text.numberConnect}
    </Link>
  );
  return (
    <Page
      title={text.numbers}
      isTable
      actions={
        <>
          <CsvButton name="numbers" columns={columns} rows={rows} />
          {mayWrite && connect}
        </>
      }
    >
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {data && rows.length === 0 && (
        <Empty icon="phone" title={text.noNumbers}>
          <p>{text.noNumbersHint}</p>
          {mayWrite && connect}
        </Empty>
      )}
      {rows.length > 0 && <Table label={text.numbers} columns={columns} rows={rows} keyOf={({ id }) => id} />}
    </Page>
  );
};
export default Numbers;

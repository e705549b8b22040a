import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useInspectable } from '../../app/inspected.ts';
import { Badge } from '../../components/basics.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { badges, menus, type RowAction } from '../../components/columns.tsx';
import { Icon } from '../../components/icons.tsx';
import { TablePage } from '../../components/table-page.tsx';
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
  const pagesOf = usePagesOf();
  const query = useQuery(read('listNumbers'));
  useInspectable({ title: text.numbers, object: query.data?.data, call: { operation: 'listNumbers', input: {} } });
  const connect = mayWrite && (
    <>
      <Link className="button" to="/settings/numbers/signup" reloadDocument>
        <Icon name="link" />
        {text.numberSignup}
      </Link>
      <Link className="button primary" to="/settings/numbers/connect">
        <Icon name="plus" />
        {text.numberConnect}
      </Link>
    </>
  );
  return (
    <TablePage
      title={text.numbers}
      file="numbers"
      query={query}
      rows={query.data?.data ?? []}
      columns={[
        { id: 'phone', name: text.phone, width: 'minmax(9rem, 2fr)', value: ({ phone }) => phone, cell: (row) => <Phone number={row} /> },
        {
          id: 'quality',
          name: text.quality,
          width: '7rem',
          value: ({ quality }) => quality,
          cell: ({ quality }) => <Quality quality={quality} />,
        },
        {
          id: 'limit',
          name: text.limit,
          width: 'minmax(7rem, 1fr)',
          value: ({ messaging_limit }) => limit(messaging_limit),
          isExtra: true,
        },
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
          cell: ({ restrictions }) => <Restrictions restrictions={restrictions} />,
          isExtra: true,
        },
        badges<BusinessNumber>(
          { id: 'status', name: text.status, width: '5.5rem', value: ({ status }) => text[status], isExtra: true },
          ({ status }) => (status === 'active' ? undefined : 'warn'),
        ),
        menus<BusinessNumber>(text.numberPages, ({ phone }) => `+${phone}`, pagesOf),
      ]}
      actions={connect}
      empty={{ icon: 'phone', title: text.noNumbers, hint: text.noNumbersHint, more: connect }}
    />
  );
};
export default Numbers;

/** What else there is of a number: the pages below its own. */
const usePagesOf = (): ((number: BusinessNumber) => RowAction[]) => {
  const text = useText(settingsText);
  const navigate = useNavigate();
  return ({ id }) => [
    {
      id: 'profile',
      label: text.numberProfile,
      icon: 'building',
      run: () => void navigate({ to: '/settings/numbers/$id/profile', params: { id } }),
    },
    { id: 'links', label: text.numberLinks, icon: 'link', run: () => void navigate({ to: '/settings/numbers/$id/links', params: { id } }) },
    {
      id: 'suggestions',
      label: text.numberOffers,
      icon: 'bolt',
      run: () => void navigate({ to: '/settings/numbers/$id/suggestions', params: { id } }),
    },
  ];
};

const Phone = ({ number: { id, phone, is_default } }: { number: BusinessNumber }): JSX.Element => {
  const text = useText(settingsText);
  return (
    <span className="row">
      <Link className="row-link numbers" to="/settings/numbers/$id" params={{ id }} dir="ltr">
        +{phone}
      </Link>
      {is_default && <Badge look="info">{text.isDefault}</Badge>}
    </span>
  );
};

const Restrictions = ({ restrictions }: Pick<BusinessNumber, 'restrictions'>): JSX.Element => {
  const text = useText(settingsText);
  if (restrictions.length === 0) return <span className="muted">{text.none}</span>;
  return <Badge look="bad">{restrictions.map(({ type }) => type).join(', ')}</Badge>;
};

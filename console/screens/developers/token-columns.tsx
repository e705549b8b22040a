import type { Token } from '../../../client/client.ts';
import { Badge } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu, type MenuEntry } from '../../components/menu.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import type { developersText } from '../../text/developers.ts';

type Text = (typeof developersText)['en'];

/** The columns that the tables of personal tokens and of incoming addresses share. */
export const tokenColumns = (
  text: Text,
  {
    nameOf,
    more = () => [],
    onSelect,
  }: { nameOf: (token: Token) => string; more?: (token: Token) => readonly MenuEntry[]; onSelect: (id: string, token: Token) => void },
): Record<'used' | 'status' | 'actions', Column<Token>> => ({
  used: {
    id: 'used',
    name: text.lastUsed,
    width: '6rem',
    value: ({ last_used_at }) => last_used_at,
    cell: ({ last_used_at }) => (last_used_at === null ? <span className="muted">{text.never}</span> : <Time at={last_used_at} />),
    isExtra: true,
  },
  status: {
    id: 'status',
    name: text.status,
    width: '5.5rem',
    value: ({ status }) => text[status],
    cell: ({ status }) => <Badge look={status === 'active' ? 'good' : ''}>{text[status]}</Badge>,
  },
  actions: {
    id: 'actions',
    name: '',
    width: '2rem',
    value: () => '',
    cell: (token) =>
      token.status === 'active' ? (
        <Menu
          label={`${text.actions}: ${nameOf(token)}`}
          className="button quiet icon small"
          trigger={<Icon name="more" />}
          entries={[
            { id: 'rotate', label: text.rotate, icon: 'refresh' },
            ...more(token),
            { id: 'revoke', label: text.revoke, icon: 'trash', danger: true },
          ]}
          onSelect={(id) => onSelect(id, token)}
        />
      ) : null,
  },
});

import { Link } from '@tanstack/react-router';
import type { Column } from '../../components/table.tsx';

/** The name of a campaign, which leads to it. */
export const nameColumn = (name: string): Column<{ id: number; name: string }> => ({
  id: 'name',
  name,
  width: 'minmax(9rem, 2fr)',
  value: (campaign) => campaign.name,
  cell: (campaign) => (
    <Link className="row-link whole-row" to="/campaigns/$id" params={{ id: campaign.id }}>
      <span className="cut" dir="auto">
        {campaign.name}
      </span>
    </Link>
  ),
});

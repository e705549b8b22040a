import type { JSX } from 'react';
import { Button } from '../../components/basics.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import type { Input } from '../../data/client.ts';
import { useRows } from '../../data/pages.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';
import { type CardProps, LeadCard } from './lead-card.tsx';
import type { BoardLead } from './use-move.tsx';

/** Which leads the board has. */
export type BoardFilter = Pick<NonNullable<Input<'listLeads'>['query']>, 'pipeline_id' | 'owner_id' | 'search'>;

interface MoreLeadsProps extends Omit<CardProps, 'lead'> {
  filter: BoardFilter & { stage_id: number };
  /** Those that stand above. */
  shown: readonly BoardLead[];
}

/** The leads of a stage beyond those that the board brings, page by page. */
export const MoreLeads = ({ filter, shown, ...card }: MoreLeadsProps): JSX.Element => {
  const text = useText(salesText);
  const { rows, error, isPending, hasMore, readOn, refetch } = useRows('listLeads', { query: { ...filter, limit: 100 } });
  const known = new Set(shown.map(({ id }) => id));
  return (
    <>
      {rows
        .filter(({ id }) => !known.has(id))
        .map((lead) => (
          <LeadCard key={lead.id} lead={lead} {...card} />
        ))}
      {error && (
        <li>
          <ProblemCard error={error} onRetry={() => void refetch()} />
        </li>
      )}
      {isPending && !error && <li className="skeleton" style={{ height: 44 }} />}
      {hasMore && (
        <li>
          <Button small onClick={readOn}>
            {text.showMore}
          </Button>
        </li>
      )}
    </>
  );
};

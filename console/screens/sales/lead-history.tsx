import type { JSX } from 'react';
import { Button } from '../../components/basics.tsx';
import { Shown } from '../../components/shown.tsx';
import { Time } from '../../components/time.tsx';
import { useRows } from '../../data/pages.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';
import { activityWords } from './activity-words.ts';

/** What happened to a lead, newest first, and by whom. */
export const LeadHistory = ({ leadId }: { leadId: number }): JSX.Element => {
  const text = useText(salesText);
  const { rows, isPending, error, refetch, hasMore, readOn } = useRows('listLeadActivities', {
    params: { id: leadId },
    query: { limit: 20 },
  });
  const steps = rows.flatMap((row) => {
    const words = activityWords(row, text);
    return words === undefined ? [] : [{ ...row, words }];
  });
  return (
    <section className="lead-part" aria-label={text.history}>
      <h3>{text.history}</h3>
      <Shown query={{ data: isPending ? undefined : steps, error, refetch }} rows={1}>
        {(shown) => (
          <ol className="lead-history">
            {shown.map(({ id, words, actor, created_at: at }) => (
              <li key={id} className="row">
                <span className="grow" dir="auto">
                  {words}
                </span>
                {actor.name !== null && (
                  <span className="muted cut" dir="auto">
                    {actor.name}
                  </span>
                )}
                <Time at={at} />
              </li>
            ))}
          </ol>
        )}
      </Shown>
      {hasMore && (
        <div>
          <Button small onClick={readOn}>
            {text.showMore}
          </Button>
        </div>
      )}
    </section>
  );
};

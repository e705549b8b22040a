import type { JSX } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button, Loading } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Spinner } from '../../components/icons.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Answer, api, type Input } from '../../data/client.ts';
import { formatPhone } from '../../data/phone.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';
import { exclusionNames } from './campaign-words.ts';

type Body = Input<'previewAudience'>['body'];
type Preview = Answer<'previewAudience'>['data'];
export type Reason = keyof Preview['excluded'];

interface LeftOutProps {
  reason: Reason;
  /** How many they are. */
  count: number;
  /** The campaign as it stands in the form. */
  body: Body;
  onClose: () => void;
}

/** Who is left out for one reason, page by page. A contact opens beside the form, which is not left. */
export const LeftOut = ({ reason, count, body, onClose }: LeftOutProps): JSX.Element => {
  const text = useText(campaignsText);
  const { data, error, isPending, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['previewAudience', 'excluded', reason, body],
    queryFn: ({ signal, pageParam }) => readPart({ ...body, excluded_reason: reason }, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const people = data?.pages.flatMap(({ excluded_contacts: listed }) => listed) ?? [];
  const readOn = (): void => void (data ? fetchNextPage() : refetch());
  return (
    <Dialog title={exclusionNames(text)[reason]} onClose={onClose}>
      <p className="muted">{text.areLeftOut(count)}</p>
      {people.length > 0 && (
        <ScrolledTable
          name={exclusionNames(text)[reason]}
          columns={[text.name, text.phone]}
          rows={people.map(({ contact_id: id, name, phone }) => {
            const shown = phone === '' ? '–' : formatPhone(phone);
            return {
              key: String(id),
              cells: [
                <Link key="to" to="/contacts/$id" params={{ id }} target="_blank">
                  <bdi>{name ?? shown}</bdi>
                </Link>,
                <bdi key="phone" className="numbers">
                  {shown}
                </bdi>,
              ],
            };
          })}
        />
      )}
      {error && <ProblemCard error={error} onRetry={readOn} />}
      {isPending && !error && <Loading rows={4} />}
      {data && people.length === 0 && !error && <p className="muted">{hasNextPage ? text.noneSoFar : text.noMatch}</p>}
      {hasNextPage && !error && (
        <Button isSoftDisabled={isFetching} onClick={readOn}>
          {isFetching && <Spinner />}
          {text.more}
        </Button>
      )}
    </Dialog>
  );
};

/** So many parts of a long audience are looked through for one page: who presses again looks further. */
const partsAtOnce = 10;

/** The next part that lists any contact. */
const readPart = async (body: Body, from: string | null, signal: AbortSignal): Promise<Preview> => {
  for (let nth = 1, cursor = from; ; nth++) {
    const { data: part }: { data: Preview } = await api.previewAudience(
      { body: { ...body, ...(cursor === null ? {} : { cursor }) } },
      { signal },
    );
    cursor = part.next_cursor;
    if (part.excluded_contacts.length > 0 || cursor === null || nth === partsAtOnce) return part;
  }
};

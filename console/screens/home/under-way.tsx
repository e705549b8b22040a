import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNumber } from '../../components/charts/frame.tsx';
import { Icon } from '../../components/icons.tsx';
import { formatTime, useNow } from '../../components/time.tsx';
import { read } from '../../data/queries.ts';
import { homeText } from '../../text/home.ts';
import { useLocale, useText } from '../../text/text.ts';
import { campaignsUnderWay } from './campaigns-under-way.ts';

/** The campaigns that are sent now, and those that begin within a day; nothing where there are none. */
export const UnderWay = (): JSX.Element | null => {
  const text = useText(homeText);
  const { tag } = useLocale();
  const number = useNumber();
  const now = useNow();
  // as what needs the user is read: one call for both
  const { data } = useQuery(read('listCampaigns', { query: { limit: 50 } }));
  const found = campaignsUnderWay(data?.data ?? [], now);
  if (found.length === 0) return null;
  return (
    <section className="stack" aria-label={text.underWay}>
      <h2>{text.underWay}</h2>
      <ul className="needs">
        {found.map(({ id, name, begins, people }) => (
          <li key={id}>
            <Link to="/campaigns/$id" params={{ id }}>
              <Icon name="megaphone" />
              <span className="grow" dir="auto">
                {begins === undefined
                  ? text.isSending(name, people === 0 ? undefined : number(people), people)
                  : text.begins(name, formatTime(tag, begins, { dateStyle: 'short', timeStyle: 'short' }))}
              </span>
              <Icon name="right" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
};

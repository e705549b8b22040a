import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../../data/queries.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

/** The pages of one number, and which of them is shown. */
export const NumberNav = ({ id }: { id: number }): JSX.Element => {
  const text = useText(settingsText);
  const shared = { params: { id }, className: 'button quiet small', activeOptions: { exact: true, includeSearch: false } };
  return (
    <nav className="number-nav" aria-label={text.numberPages}>
      <Link to="/settings/numbers/$id" {...shared}>
        {text.numberOverview}
      </Link>
      <Link to="/settings/numbers/$id/profile" {...shared}>
        {text.numberProfile}
      </Link>
      <Link to="/settings/numbers/$id/links" {...shared}>
        {text.numberLinks}
      </Link>
      <Link to="/settings/numbers/$id/suggestions" {...shared}>
        {text.numberOffers}
      </Link>
    </nav>
  );
};

/** The name of a page of a number: with its phone, once that is read. */
export const useTitleOf = (id: number, plain: string, withPhone: (phone: string) => string): string => {
  const { data } = useQuery(read('getNumber', { params: { id } }));
  return data === undefined ? plain : withPhone(`+${data.data.phone}`);
};

import type { JSX } from 'react';
import { Link } from '@tanstack/react-router';
import { Icon } from './icons.tsx';
import { useMay } from '../data/session.ts';
import { spendText } from '../text/spend.ts';
import { useText } from '../text/text.ts';

/** Where prices are missing: how many messages it is about, and who mends it how. */
export const MissingPrices = ({ count }: { count: number }): JSX.Element | null => {
  const text = useText(spendText);
  const mayMend = useMay('admin');
  if (count === 0) return null;
  return (
    <div className="notice warn" role="status">
      <Icon name="alert" />
      <p>
        {text.missing(count)} {mayMend ? text.missingAdmin : text.missingOthers} <Link to="/spend/rates">{text.toRates}</Link>
      </p>
    </div>
  );
};

import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';
import { salesPages } from '../pages.ts';
import './sales.css';

const Sales = (): JSX.Element => {
  const text = useText(salesText);
  return <Subnav title={text.sales} text={text} pages={salesPages} />;
};
export default Sales;

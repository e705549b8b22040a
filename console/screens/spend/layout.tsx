import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { spendText } from '../../text/spend.ts';
import { useText } from '../../text/text.ts';
import { spendPages } from '../pages.ts';

const Spend = (): JSX.Element => {
  const text = useText(spendText);
  return <Subnav title={text.title} text={text} pages={spendPages} />;
};
export default Spend;

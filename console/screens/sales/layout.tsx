import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';
import './sales.css';

const Sales = (): JSX.Element => {
  const text = useText(salesText);
  return (
    <Subnav
      title={text.sales}
      pages={[
        { to: '/sales', label: text.board, icon: 'chart' },
        { to: '/sales/tasks', label: text.tasks, icon: 'check' },
      ]}
    />
  );
};
export default Sales;

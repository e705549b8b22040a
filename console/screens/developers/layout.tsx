import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';

const Developers = (): JSX.Element => {
  const text = useText(developersText);
  return <Subnav title={text.title} pages={[{ to: '/developers', label: text.events, icon: 'bolt' }]} />;
};
export default Developers;

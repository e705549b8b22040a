import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { developersPages } from '../pages.ts';
import './developers.css';

const Developers = (): JSX.Element => {
  const text = useText(developersText);
  return <Subnav title={text.title} text={text} pages={developersPages} />;
};
export default Developers;

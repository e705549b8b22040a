import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { isAtLeast, useMe } from '../../data/session.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { developersPages } from '../pages.ts';
import './developers.css';

const Developers = (): JSX.Element => {
  const text = useText(developersText);
  const { role: mine } = useMe();
  const pages = developersPages.filter(({ role }) => isAtLeast(mine, role)).map(({ label, ...page }) => ({ ...page, label: text[label] }));
  return <Subnav title={text.title} pages={pages} />;
};
export default Developers;

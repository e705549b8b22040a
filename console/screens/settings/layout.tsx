import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { isAtLeast, useMe } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import { settingsPages } from '../pages.ts';
import './settings.css';

const Settings = (): JSX.Element => {
  const text = useText(settingsText);
  const { role: mine } = useMe();
  const pages = settingsPages.filter(({ role }) => isAtLeast(mine, role)).map(({ label, ...page }) => ({ ...page, label: text[label] }));
  return <Subnav title={text.title} pages={pages} />;
};
export default Settings;

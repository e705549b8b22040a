import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import { settingsPages } from '../pages.ts';
import './settings.css';

const Settings = (): JSX.Element => {
  const text = useText(settingsText);
  return <Subnav title={text.title} text={text} pages={settingsPages} />;
};
export default Settings;

import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

const Settings = (): JSX.Element => {
  const text = useText(settingsText);
  return <Subnav title={text.title} pages={[{ to: '/settings', label: text.company, icon: 'building' }]} />;
};
export default Settings;

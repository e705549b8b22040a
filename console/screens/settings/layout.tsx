import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { useMay } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import './settings.css';

const Settings = (): JSX.Element => {
  const text = useText(settingsText);
  const isAdmin = useMay('admin');
  return (
    <Subnav
      title={text.title}
      pages={[
        { to: '/settings', label: text.company, icon: 'building' },
        { to: '/settings/people', label: text.people, icon: 'users' },
        { to: '/settings/numbers', label: text.numbers, icon: 'phone' },
        { to: '/settings/keywords', label: text.keywords, icon: 'note' },
        { to: '/settings/fields', label: text.fields, icon: 'list' },
        { to: '/settings/usage', label: text.usage, icon: 'chart' },
        ...(isAdmin ? ([{ to: '/settings/audit', label: text.audit, icon: 'shield' }] as const) : []),
        { to: '/settings/sessions', label: text.sessions, icon: 'signout' },
        { to: '/settings/preferences', label: text.preferences, icon: 'bell' },
      ]}
    />
  );
};
export default Settings;

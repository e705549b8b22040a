import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { useMay } from '../../data/session.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import './developers.css';

const Developers = (): JSX.Element => {
  const text = useText(developersText);
  const isAdmin = useMay('admin');
  return (
    <Subnav
      title={text.title}
      pages={[
        { to: '/developers', label: text.events, icon: 'bolt' },
        ...(isAdmin
          ? ([
              { to: '/developers/deliveries', label: text.deliveries, icon: 'send' },
              { to: '/developers/webhooks', label: text.webhooks, icon: 'webhook' },
            ] as const)
          : []),
        { to: '/developers/tokens', label: text.tokens, icon: 'key' },
        ...(isAdmin ? ([{ to: '/developers/addresses', label: text.addresses, icon: 'link' }] as const) : []),
        { to: '/developers/signatures', label: text.signatures, icon: 'shield' },
        { to: '/developers/reference', label: text.reference, icon: 'file' },
      ]}
    />
  );
};
export default Developers;

import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { verificationText } from '../../text/verification.ts';
import { useText } from '../../text/text.ts';

const Verification = (): JSX.Element => {
  const text = useText(verificationText);
  return (
    <Subnav
      title={text.verification}
      pages={[
        { to: '/verification', label: text.overview, icon: 'chart' },
        { to: '/verification/requests', label: text.requests, icon: 'list' },
        { to: '/verification/blocks', label: text.blocks, icon: 'shield' },
      ]}
    />
  );
};
export default Verification;

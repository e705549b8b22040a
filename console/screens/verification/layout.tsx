import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { verificationText } from '../../text/verification.ts';
import { useText } from '../../text/text.ts';
import { verificationPages } from '../pages.ts';

const Verification = (): JSX.Element => {
  const text = useText(verificationText);
  return <Subnav title={text.verification} text={text} pages={verificationPages} />;
};
export default Verification;

import type { ComponentType } from 'react';
import { areaOf } from '../../components/subnav.tsx';
import { verificationText } from '../../text/verification.ts';
import { verificationPages } from '../pages.ts';

const Verification: ComponentType = areaOf(verificationText, 'verification', verificationPages);
export default Verification;

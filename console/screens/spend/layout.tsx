import type { ComponentType } from 'react';
import { areaOf } from '../../components/subnav.tsx';
import { spendText } from '../../text/spend.ts';
import { spendPages } from '../pages.ts';

const Spend: ComponentType = areaOf(spendText, 'title', spendPages);
export default Spend;

import type { ComponentType } from 'react';
import { areaOf } from '../../components/subnav.tsx';
import { salesText } from '../../text/sales.ts';
import { salesPages } from '../pages.ts';
import './sales.css';

const Sales: ComponentType = areaOf(salesText, 'sales', salesPages);
export default Sales;

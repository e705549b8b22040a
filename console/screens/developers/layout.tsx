import type { ComponentType } from 'react';
import { areaOf } from '../../components/subnav.tsx';
import { developersText } from '../../text/developers.ts';
import { developersPages } from '../pages.ts';
import './developers.css';

const Developers: ComponentType = areaOf(developersText, 'title', developersPages);
export default Developers;

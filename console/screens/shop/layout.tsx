import type { ComponentType } from 'react';
import { areaOf } from '../../components/subnav.tsx';
import { shopText } from '../../text/shop.ts';
import { shopPages } from '../pages.ts';

const Shop: ComponentType = areaOf(shopText, 'shop', shopPages);
export default Shop;

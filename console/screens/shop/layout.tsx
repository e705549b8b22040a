import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { shopText } from '../../text/shop.ts';
import { useText } from '../../text/text.ts';
import { shopPages } from '../pages.ts';

const Shop = (): JSX.Element => {
  const text = useText(shopText);
  return <Subnav title={text.shop} text={text} pages={shopPages} />;
};
export default Shop;

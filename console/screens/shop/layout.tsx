import type { JSX } from 'react';
import { Subnav } from '../../components/subnav.tsx';
import { shopText } from '../../text/shop.ts';
import { useText } from '../../text/text.ts';

const Shop = (): JSX.Element => {
  const text = useText(shopText);
  return (
    <Subnav
      title={text.shop}
      pages={[
        { to: '/shop', label: text.orders, icon: 'list' },
        { to: '/shop/carts', label: text.carts, icon: 'clock' },
      ]}
    />
  );
};
export default Shop;

import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Product } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { amountText } from '../../components/amount.ts';
import { badges, opening, times } from '../../components/columns.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import type { Column } from '../../components/table.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { formatCount } from '../../components/time.tsx';
import { useRows } from '../../data/pages.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay } from '../../data/session.ts';
import { shopText } from '../../text/shop.ts';
import { useLocale, useText } from '../../text/text.ts';
import { ProductDialog } from './product-dialog.tsx';
import { productStatuses, useProductStatuses } from './product-words.ts';

/** The catalog: what is sold, for how much, how many are left, and in which category. */
const Products = (): JSX.Element => {
  const text = useText(shopText);
  const mayWrite = useMay('member');
  const names = useProductStatuses();
  const [search, setSearch] = useFilter('q');
  const [status, setStatus] = useFilter('status');
  const [category, setCategory] = useFilter('category');
  const [opened, setOpened] = useFilter('entry');
  const categories = useQuery({ ...read('listCategories', { query: { limit: 1_000 } }), staleTime: 60_000 }).data?.data ?? [];
  const wanted = productStatuses.find((each) => each === status);
  const input = {
    query: {
      limit: 50,
      ...(search === undefined ? {} : { search }),
      ...(wanted === undefined ? {} : { status: wanted }),
      ...(categories.some(({ id }) => String(id) === category) ? { category_id: Number(category) } : {}),
    },
  } as const;
  const { rows, hasMore, readOn, ...query } = useRows('listProducts', input);
  useInspectable({ title: text.products, call: { operation: 'listProducts', input } });
  const close = (): void => setOpened(undefined);
  const isFiltered = search !== undefined || status !== undefined || category !== undefined;
  return (
    <TablePage
      title={text.products}
      file="products"
      query={query}
      rows={rows}
      create={mayWrite ? { label: text.newProduct, onCreate: () => setOpened('new') } : undefined}
      columns={useProductColumns(setOpened)}
      filters={
        <>
          <FilterText label={text.searchProducts} value={search} onText={setSearch} />
          <FilterSelect
            label={text.status}
            value={status}
            choices={[['', text.all], ...productStatuses.map((each) => [each, names[each]] as const)]}
            onText={setStatus}
          />
          {categories.length > 0 && (
            <FilterSelect
              label={text.category}
              value={category}
              choices={[['', text.all], ...categories.map(({ id, name }) => [String(id), name] as const)]}
              onText={setCategory}
            />
          )}
        </>
      }
      empty={isFiltered ? { icon: 'list', title: text.noMatch } : { icon: 'list', title: text.noProducts, hint: text.noProductsHint }}
      hasMore={hasMore}
      onEnd={readOn}
    >
      {opened !== undefined && <ProductDialog key={opened} id={opened === 'new' ? undefined : Number(opened)} onClose={close} />}
    </TablePage>
  );
};
export default Products;

const useProductColumns = (open: (id: string) => void): Column<Product>[] => {
  const text = useText(shopText);
  const { tag } = useLocale();
  const names = useProductStatuses();
  return [
    opening<Product>({ id: 'name', name: text.name, width: 'minmax(9rem, 3fr)', value: ({ name }) => name }, open, { isPlain: true }),
    { id: 'sku', name: text.sku, width: 'minmax(5rem, 1fr)', value: ({ sku }) => sku, isExtra: true },
    { id: 'category', name: text.category, width: 'minmax(6rem, 1.4fr)', value: ({ category }) => category?.name, isExtra: true },
    {
      id: 'price',
      name: text.price,
      width: '7.5rem',
      value: ({ price }) => price,
      cell: ({ price, currency }) => (price === null ? <span className="muted">–</span> : amountText(tag, Number(price), currency)),
      isNumber: true,
    },
    {
      id: 'stock',
      name: text.stock,
      width: '6rem',
      value: ({ stock_quantity: stock, stock_counted: isCounted }) => (isCounted ? stock : null),
      cell: ({ stock_quantity: stock, stock_counted: isCounted }) =>
        !isCounted ? (
          <span className="muted">{text.notCounted}</span>
        ) : (
          <span className={stock === 0 ? 'out-of-stock' : ''}>{formatCount(tag, stock)}</span>
        ),
      isNumber: true,
    },
    badges<Product>(
      { id: 'status', name: text.status, width: '7.5rem', value: ({ status }) => names[status], isExtra: true },
      ({ status }) => (status === 'Active' ? undefined : status === 'Draft' ? 'info' : 'warn'),
    ),
    times('updated_at', text.changed, { width: '7rem', isNumber: true, isExtra: true }),
  ];
};

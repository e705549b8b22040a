import type { JSX } from 'react';
import { Link } from '@tanstack/react-router';
import type { Category } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { menus, opening, times } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { LongTextField, TextField } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import { useForm } from '../../components/form.tsx';
import { ConfirmDialog, FormDialog } from '../../components/form-dialog.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { formatCount } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { useRows } from '../../data/pages.ts';
import { refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay } from '../../data/session.ts';
import { shopText } from '../../text/shop.ts';
import { useLocale, useText } from '../../text/text.ts';

/** The categories of the catalog, each with its products. */
const Categories = (): JSX.Element => {
  const text = useText(shopText);
  const { tag } = useLocale();
  const mayWrite = useMay('member');
  const [search, setSearch] = useFilter('q');
  const { dialog, open, close } = useDialog();
  const input = { query: { limit: 100, ...(search === undefined ? {} : { search }) } };
  const { rows, hasMore, readOn, ...query } = useRows('listCategories', input);
  useInspectable({ title: text.categories, call: { operation: 'listCategories', input } });
  const edit = (category?: Category): void => open(<CategoryForm category={category} onClose={close} />);
  const remove = (category: Category): void => open(<RemoveCategory category={category} onClose={close} />);
  return (
    <TablePage
      title={text.categories}
      file="categories"
      query={query}
      rows={rows}
      create={mayWrite ? { label: text.newCategory, onCreate: () => edit() } : undefined}
      columns={[
        opening<Category>(
          { id: 'name', name: text.name, width: 'minmax(8rem, 2fr)', value: ({ name }) => name },
          (id) => edit(rows.find((each) => String(each.id) === id)),
          { isPlain: true },
        ),
        {
          id: 'slug',
          name: text.slug,
          width: 'minmax(6rem, 1.5fr)',
          value: ({ slug }) => slug,
          cell: ({ slug }) => <code className="cut">{slug}</code>,
          isExtra: true,
        },
        {
          id: 'products',
          name: text.products,
          width: '7rem',
          value: ({ products_count: count }) => count,
          cell: ({ id, products_count: count }) => (
            <Link to="/shop/products" search={{ category: id }}>
              {formatCount(tag, count)}
            </Link>
          ),
          isNumber: true,
        },
        times('updated_at', text.changed, { width: '8rem', isNumber: true, isExtra: true }),
        ...(mayWrite
          ? [
              menus<Category>(
                text.actions,
                ({ name }) => name,
                (category) => [{ id: 'remove', label: text.remove, icon: 'trash', run: () => remove(category) }],
              ),
            ]
          : []),
      ]}
      filters={<FilterText label={text.searchCategories} value={search} onText={setSearch} />}
      empty={
        search === undefined
          ? { icon: 'list', title: text.noCategories, hint: text.noCategoriesHint }
          : { icon: 'list', title: text.noMatch }
      }
      hasMore={hasMore}
      onEnd={readOn}
    >
      {dialog}
    </TablePage>
  );
};
export default Categories;

const RemoveCategory = ({ category, onClose }: { category: Category; onClose: () => void }): JSX.Element => {
  const { id, name, products_count: count } = category;
  const text = useText(shopText);
  return (
    <ConfirmDialog
      title={`${text.remove}: ${name}`}
      action={text.remove}
      send={(call) => api.deleteCategory({ params: { id } }, call)}
      onDone={() => {
        onClose();
        void refresh('listCategories', 'listProducts');
      }}
      onClose={onClose}
    >
      <p>{text.removeCategoryText(count)}</p>
    </ConfirmDialog>
  );
};

/** A name as it may stand in an address. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');

const orNull = (given: string): string | null => (given.trim() === '' ? null : given.trim());

const CategoryForm = ({ category, onClose }: { category: Category | undefined; onClose: () => void }): JSX.Element => {
  const text = useText(shopText);
  const mayWrite = useMay('member');
  const { values, field, submitting } = useForm(
    { name: category?.name ?? '', slug: category?.slug ?? '', description: category?.description ?? '', image: category?.image ?? '' },
    ({ name, slug }, call, changed) => {
      const texts = {
        ...(changed.description === undefined ? {} : { description: orNull(changed.description) }),
        ...(changed.image === undefined ? {} : { image: orNull(changed.image) }),
      };
      if (!category) return api.createCategory({ body: { name: name.trim(), slug: slug.trim() || slugOf(name), ...texts } }, call);
      const named = {
        ...(changed.name === undefined ? {} : { name: name.trim() }),
        ...(changed.slug === undefined ? {} : { slug: slug.trim() || slugOf(name) }),
      };
      return api.updateCategory({ params: { id: category.id }, body: { ...named, ...texts } }, call);
    },
    () => {
      void refresh('listCategories', 'listProducts');
      onClose();
    },
  );
  return (
    <FormDialog
      {...submitting}
      title={category?.name ?? text.newCategory}
      isDisabled={!mayWrite || values.name.trim() === ''}
      onClose={onClose}
    >
      <TextField label={text.name} dir="auto" {...field('name')} />
      <TextField label={text.slug} hint={text.slugHint} placeholder={slugOf(values.name)} {...field('slug')} />
      <LongTextField label={text.description} dir="auto" rows={3} {...field('description')} />
      <TextField label={text.image} type="url" {...field('image')} />
    </FormDialog>
  );
};

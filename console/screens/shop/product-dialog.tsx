import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Product } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Dialog, useDialog } from '../../components/dialog.tsx';
import { LongTextField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { ConfirmDialog, FormDialog } from '../../components/form-dialog.tsx';
import { Shown } from '../../components/shown.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { shopText } from '../../text/shop.ts';
import { useText } from '../../text/text.ts';
import { productStatuses, useProductStatuses } from './product-words.ts';

type DialogProps = { id: number | undefined; onClose: () => void };

/** One product, or a new one. */
export const ProductDialog = ({ id, onClose }: DialogProps): JSX.Element =>
  id === undefined ? <ProductForm onClose={onClose} /> : <Existing id={id} onClose={onClose} />;

const Existing = ({ id, onClose }: { id: number; onClose: () => void }): JSX.Element => {
  const text = useText(shopText);
  const query = useQuery(read('getProduct', { params: { id } }));
  if (query.data) return <ProductForm product={query.data.data} onClose={onClose} />;
  return (
    <Dialog title={text.product} onClose={onClose} wide>
      <Shown query={query}>{() => null}</Shown>
    </Dialog>
  );
};

const valuesOf = (product: Product | undefined) => ({
  name: product?.name ?? '',
  description: product?.description ?? '',
  price: product?.price ?? '',
  compare_at_price: product?.compare_at_price == null ? '' : String(product.compare_at_price),
  currency: product?.currency ?? 'EUR',
  stock_quantity: String(product?.stock_quantity ?? 0),
  status: product?.status ?? ('Active' as Product['status']),
  category_id: String(product?.category_id ?? ''),
  sku: product?.sku ?? '',
  image: product?.image ?? '',
});
type Values = ReturnType<typeof valuesOf>;

const orNull = (given: string): string | null => (given.trim() === '' ? null : given.trim());

/** What was changed, in the API's form. */
const bodyOf = (values: Partial<Values>) => {
  const { name, description, price, compare_at_price: before, currency, stock_quantity: stock, status, category_id, sku, image } = values;
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(description === undefined ? {} : { description: orNull(description) }),
    ...(price === undefined ? {} : { price: price.trim().replace(',', '.') }),
    ...(before === undefined ? {} : { compare_at_price: orNull(before.replace(',', '.')) }),
    ...(currency === undefined ? {} : { currency: currency.trim() }),
    ...(stock === undefined ? {} : { stock_quantity: Number(stock) }),
    ...(status === undefined ? {} : { status }),
    ...(category_id === undefined ? {} : { category_id: category_id === '' ? null : Number(category_id) }),
    ...(sku === undefined ? {} : { sku: orNull(sku) }),
    ...(image === undefined ? {} : { image: orNull(image) }),
  };
};

const ProductForm = ({ product, onClose }: { product?: Product; onClose: () => void }): JSX.Element => {
  const text = useText(shopText);
  const mayWrite = useMay('member');
  const names = useProductStatuses();
  const { dialog, open, close } = useDialog();
  const categories = useQuery({ ...read('listCategories', { query: { limit: 1_000 } }), staleTime: 60_000 }).data?.data ?? [];
  const done = (): void => {
    toast(text.saved);
    void refresh('listProducts', 'getProduct', 'listCategories');
    onClose();
  };
  const { values, field, submitting } = useForm(
    valuesOf(product),
    (all, call, changed) => {
      if (product) return api.updateProduct({ params: { id: product.id }, body: bodyOf(changed) }, call);
      return api.createProduct({ body: { ...bodyOf(all), name: all.name.trim(), price: all.price.trim().replace(',', '.') } }, call);
    },
    done,
  );
  const remove = (): void => {
    if (!product) return;
    open(
      <ConfirmDialog
        title={`${text.remove}: ${product.name}`}
        action={text.remove}
        send={(call) => api.deleteProduct({ params: { id: product.id } }, call)}
        onDone={done}
        onClose={close}
      >
        <p>{text.removeProductText}</p>
      </ConfirmDialog>,
    );
  };
  return (
    <>
      <FormDialog
        {...submitting}
        wide
        title={product?.name ?? text.newProduct}
        isDisabled={!mayWrite || values.name.trim() === '' || values.price.trim() === ''}
        onClose={onClose}
      >
        {product?.is_platform_synced && <p className="notice info">{text.syncedProduct}</p>}
        <TextField label={text.name} dir="auto" {...field('name')} />
        <LongTextField label={text.description} dir="auto" rows={3} {...field('description')} />
        <div className="pair">
          <TextField label={text.price} inputMode="decimal" {...field('price')} />
          <TextField label={text.currency} maxLength={3} {...field('currency')} />
        </div>
        <div className="pair">
          <TextField label={text.formerPrice} hint={text.formerPriceHint} inputMode="decimal" {...field('compare_at_price')} />
          <TextField label={text.stock} type="number" min={0} {...field('stock_quantity')} />
        </div>
        <div className="pair">
          <SelectField label={text.status} choices={productStatuses.map((each) => [each, names[each]] as const)} {...field('status')} />
          <SelectField
            label={text.category}
            choices={[['', text.noCategory], ...categories.map(({ id, name }) => [String(id), name] as const)]}
            {...field('category_id')}
          />
        </div>
        <div className="pair">
          <TextField label={text.sku} {...field('sku')} />
          <TextField label={text.image} type="url" {...field('image')} />
        </div>
        {product && mayWrite && (
          <div>
            <Button look="quiet" icon="trash" onClick={remove}>
              {text.remove}
            </Button>
          </div>
        )}
      </FormDialog>
      {dialog}
    </>
  );
};

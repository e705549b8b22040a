import type { FieldErrors, Problem } from '../../../shared/contract/problems.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import type { ProductChanges, ProductQuery, ProductRecord } from '../contract/product.ts';
import type { PublicProduct } from '../contract/storefront.ts';
import type { Category, Product, Source } from '../contract/stored.ts';
import { fromMinor, toMinor } from './money.ts';

/** Rules of products: visibility, changes, filters and API records. */
export const isLiveProduct = (product: Product | undefined): product is Product => product !== undefined && product.deletedAt === undefined;

/** Products of a store platform are sold through its own checkout only. */
export const isPlatformSynced = ({ source }: Pick<Product, 'source'>): boolean => source === 'storeplatform' || source === 'webshop';

const isInStock = ({ stock, isUncounted }: Product): boolean => stock > 0 || isUncounted === true;

/** Whether the public storefront shows the product. One without a price is not for sale yet. */
export const isPublic = (product: Product | undefined): boolean =>
  isLiveProduct(product) && product.status === 'Active' && product.isUnpriced !== true && !isPlatformSynced(product);

/** Values of a request or an ERP row. Undefined keeps a field, null clears it. Amounts are decimal text. */
export type ProductValues = Partial<Omit<ProductChanges, 'external_id'>> & {
  vendor?: string | null | undefined;
  product_type?: string | null | undefined;
};

export const newProduct = (companyId: number, id: number, source: Source, externalId: string | undefined, at: number): Product => ({
  companyId,
  id,
  rev: 0,
  name: '',
  price: 0,
  isUnpriced: true,
  currency: 'INR',
  stock: 0,
  status: 'Active',
  ...(externalId === undefined ? {} : { externalId }),
  source,
  createdAt: at,
  updatedAt: at,
});

/** The product with the given values, or an error for each amount that the currency cannot represent. */
export const withValues = (product: Product, given: ProductValues): Product | Problem<'validation_failed'> => {
  const currency = given.currency ?? product.currency;
  const errors: FieldErrors = {};
  const amount = (field: 'price' | 'compare_at_price', decimal: string): number => {
    const minor = toMinor(decimal, currency);
    if (minor.ok) return minor.minor;
    errors[given[field] === undefined ? 'currency' : field] = [minor.reason];
    return 0;
  };
  const decimalText = (minor: number): string => fromMinor(minor, product.currency);
  const compareAt =
    given.compare_at_price === undefined && product.compareAt !== undefined ? decimalText(product.compareAt) : given.compare_at_price;
  const next: Product = {
    ...product,
    currency,
    price: amount('price', given.price ?? decimalText(product.price)),
    ...(given.name === undefined ? {} : { name: given.name }),
    ...(given.stock_quantity === undefined ? {} : { stock: given.stock_quantity }),
    ...(given.status === undefined ? {} : { status: given.status }),
  };
  if (given.price !== undefined) delete next.isUnpriced;
  set(next, 'compareAt', compareAt == null ? null : amount('compare_at_price', compareAt));
  set(next, 'description', given.description);
  set(next, 'image', given.image);
  set(next, 'sku', given.sku);
  set(next, 'vendor', given.vendor);
  set(next, 'productType', given.product_type);
  set(next, 'categoryId', given.category_id);
  return Object.keys(errors).length > 0 ? { problem: 'validation_failed', errors } : next;
};

/**
 * `after` with a new revision, or undefined when it equals `before`, so that an unchanged product costs no write and keeps `updated_at`.
 */
export const changedProduct = (before: Product, after: Product, at: number): Product | undefined =>
  comparable(before) === comparable(after) ? undefined : { ...after, rev: before.rev + 1, updatedAt: at };

export const matchesProduct =
  (
    query: Partial<
      Pick<ProductQuery, 'search' | 'status' | 'category_id' | 'external_id' | 'external_source' | 'sku' | 'in_stock' | 'updated_from'>
    >,
  ) =>
  (product: Product): boolean =>
    (query.status === undefined || product.status === query.status) &&
    (query.category_id === undefined || product.categoryId === query.category_id) &&
    (query.external_id === undefined || product.externalId === query.external_id) &&
    (query.external_source === undefined || externalSource(product) === query.external_source.toLowerCase()) &&
    (query.sku === undefined || product.sku === query.sku) &&
    (query.in_stock === undefined || isInStock(product) === query.in_stock) &&
    (query.updated_from === undefined || product.updatedAt >= query.updated_from) &&
    (!query.search || contains(query.search, [product.name, product.sku, product.externalId]));

/** Whether one of the texts contains the search text, ignoring case and Unicode composition. */
export const contains = (search: string, texts: readonly (string | undefined)[]): boolean => {
  const wanted = normalizeText(search);
  return texts.some((text) => text !== undefined && normalizeText(text).includes(wanted));
};

export const productRecordOf = (product: Product, categories: ReadonlyMap<number, Category>): ProductRecord => {
  const category = product.categoryId === undefined ? undefined : categories.get(product.categoryId);
  return {
    id: product.id,
    name: product.name,
    description: product.description ?? null,
    price: product.isUnpriced ? null : fromMinor(product.price, product.currency),
    compare_at_price: product.compareAt === undefined ? null : Number(fromMinor(product.compareAt, product.currency)),
    currency: product.currency,
    stock_quantity: product.stock,
    inventory: product.stock,
    stock_counted: !product.isUncounted,
    status: product.status,
    image: product.image ?? null,
    category_id: category?.id ?? null,
    shop_category_id: category?.id ?? null,
    category: category ? { id: category.id, name: category.name } : null,
    external_id: product.externalId ?? null,
    external_source: externalSource(product) ?? null,
    sku: product.sku ?? null,
    vendor: product.vendor ?? null,
    product_type: product.productType ?? null,
    is_platform_synced: isPlatformSynced(product),
    created_at: isoTime(product.createdAt),
    updated_at: isoTime(product.updatedAt),
  };
};

export const publicProductOf = (product: Product, categories: ReadonlyMap<number, Category>): PublicProduct => {
  const { id, name, description, compare_at_price, currency, image, category_id } = productRecordOf(product, categories);
  const price = fromMinor(product.price, product.currency);
  return { id, name, description, price, compare_at_price, currency, in_stock: isInStock(product), image, category_id };
};

/** Products created through the API have no external source. */
const externalSource = ({ source }: Product): Source | undefined => (source === 'api' ? undefined : source);

function set<K extends 'compareAt' | 'description' | 'image' | 'sku' | 'vendor' | 'productType' | 'categoryId'>(
  product: Product,
  field: K,
  value: Exclude<Product[K], undefined> | null | undefined,
): void {
  if (value === undefined) return;
  if (value === null || value === '') delete product[field];
  else Object.assign(product, { [field]: value });
}

const normalizeText = (text: string): string => text.normalize('NFKC').toLowerCase();

const comparable = ({ rev: _rev, updatedAt: _at, ...rest }: Product): string =>
  JSON.stringify(
    Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

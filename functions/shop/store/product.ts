import * as z from 'zod';
import { all, equals, exists, missing, unchanged } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { type Product, productEntityName, type Source, sources, storedProduct } from '../contract/stored.ts';
import { partitionKey, type RecordsBelow, recordsBelow } from './id-partition.ts';

export const productEntity = entity({
  name: productEntityName,
  purpose: 'A product of the catalog',
  attributes: storedProduct,
  key: ({ companyId, id }: { companyId: number; id: number }) => partitionKey(companyId, 'PR', id),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#PR#<id / 128>', sk: '<id, 16 digits>' },
});

/**
 * Which product has an external id of a source. The claim is written before the product. A call that finds a claim without a product
 * creates that product under the claimed id, so two concurrent calls create one. A platform's product that is deleted before it arrived
 * leaves a claim without a product.
 */
export const productClaimEntity = entity({
  name: 'shop-product-claim',
  purpose: 'Which product has an external id of a source; unique by its key',
  attributes: z.object({
    companyId: z.int(),
    source: z.enum(sources),
    externalId: z.string(),
    productId: z.int().optional(),
    /** When the claim was made, in epoch milliseconds. */
    at: z.int(),
    /** When the source deleted the product. Older updates do not create it again. */
    deletedAt: z.int().optional(),
  }),
  key: ({ companyId, source, externalId }: ClaimId) => ({ pk: `${tenant(companyId)}#PRX#${source}#${externalId}`, sk: 'PRX' }),
  idOf: ({ companyId, source, externalId }) => ({ companyId, source, externalId }),
  example: { pk: 'C#<company>#PRX#<source>#<external id>', sk: 'PRX' },
});
export type ProductClaim = ItemOf<typeof productClaimEntity>;
export interface ClaimId {
  companyId: number;
  source: Source;
  externalId: string;
}

/** A product, also a soft-deleted one. A miss is read again consistently, so that a product is found right after its creation. */
export const getProductRow = pattern(
  { question: 'a product by its id', entity: productEntityName, by: 'GetItem', units: '0.5 RRU (a miss 1.5)' },
  async (companyId: number, id: number, { consistent = false }: { consistent?: boolean } = {}): Promise<Product | undefined> =>
    (await productEntity.get({ companyId, id }, { consistent })) ??
    (consistent ? undefined : productEntity.get({ companyId, id }, { consistent: true })),
);

export const getProductsByIds = pattern(
  { question: 'several products by id', entity: productEntityName, by: 'BatchGetItem', units: '1 RRU each, consistent' },
  (companyId: number, ids: readonly number[]): Promise<Product[]> =>
    productEntity.getMany(
      ids.map((id) => ({ companyId, id })),
      { consistent: true },
    ),
);

export const getProductClaims = pattern(
  { question: 'products by external id', entity: 'shop-product-claim', by: 'BatchGetItem', units: '1 RRU each, consistent' },
  (ids: readonly ClaimId[]): Promise<ProductClaim[]> => productClaimEntity.getMany(ids, { consistent: true }),
);

export const getProductClaim = pattern(
  { question: 'a product by external id', entity: 'shop-product-claim', by: 'GetItem', units: '0.5 RRU' },
  (id: ClaimId, options: { consistent?: boolean } = {}): Promise<ProductClaim | undefined> => productClaimEntity.get(id, options),
);

/** Claims an external id, or returns the current claim. */
export const createProductClaim = pattern(
  { question: 'claim an external id for a product', entity: 'shop-product-claim', by: 'PutItem', units: '1 WRU' },
  (claim: ProductClaim): Promise<Written<ProductClaim>> => productClaimEntity.put(claim, missing()),
);

/** Moves a claim to another product, on the condition that it is unchanged. */
export const updateProductClaim = pattern(
  { question: 'move a claim to another product', entity: 'shop-product-claim', by: 'PutItem', units: '1 WRU' },
  async (seen: ProductClaim, claim: ProductClaim): Promise<boolean> =>
    (
      await productClaimEntity.put(
        claim,
        all(equals('at', seen.at), unchanged('productId', seen.productId), unchanged('deletedAt', seen.deletedAt)),
      )
    ).done,
);

export const deleteProductClaim = pattern(
  { question: 'release an external id', entity: 'shop-product-claim', by: 'DeleteItem', units: '1 WRU' },
  async (id: ClaimId, productId: number): Promise<void> => {
    await productClaimEntity.delete(id, equals('productId', productId));
  },
);

/** Creates a product, on the condition that its id is unused. */
export const createProductRow = pattern(
  { question: 'create a product', entity: productEntityName, by: 'PutItem', units: '1 WRU' },
  (product: Product): Promise<Written<Product>> => productEntity.put(product, missing()),
);

/** Writes a product, on the condition that its revision is unchanged; otherwise returns the current one. */
export const updateProductRow = pattern(
  { question: 'change a product', entity: productEntityName, by: 'PutItem', units: '1 WRU' },
  (product: Product): Promise<Written<Product>> => productEntity.put(product, all(exists(), equals('rev', product.rev - 1))),
);

/** Products below an id, newest first, at most `count`, also soft-deleted ones. */
export const listProductsBelow = pattern(
  { question: 'products below an id, newest first', entity: productEntityName, by: 'Query', units: '0.5 RRU per 4 KB' },
  (companyId: number, belowId: number, count: number): Promise<RecordsBelow<Product>> =>
    recordsBelow(productEntity, companyId, belowId, count),
);

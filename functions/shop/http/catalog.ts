import { listed, ok } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { categoryRoutes } from '../contract/category.ts';
import { connectionRoutes, installRoutes } from '../contract/connection-routes.ts';
import { erpRoutes } from '../contract/erp.ts';
import { productRoutes } from '../contract/product.ts';
import { publicCache, storefrontRoutes } from '../contract/storefront.ts';
import { categoryRecords, createCategory, deleteCategory, getCategory, pageOfCategories, updateCategory } from '../service/categories.ts';
import { createProduct, deleteProduct, getProduct, listProducts, updateProduct } from '../service/products.ts';
import { getPublicProduct, listPublicCategories, listPublicProducts } from '../service/storefront.ts';
import { connectionOperations } from './connections.ts';
import { erpOperations } from './erp.ts';
import { created, gone, unlessRefused } from './replies.ts';

const forEverybody = { headers: { 'cache-control': publicCache } };

export const handler = serve(
  { ...productRoutes, ...categoryRoutes, ...storefrontRoutes, ...erpRoutes, ...installRoutes, ...connectionRoutes },
  {
    ...erpOperations,
    ...connectionOperations,
    listProducts: async (request) =>
      unlessRefused(await listProducts(request.caller.companyId, request.query), (page) =>
        listed(request, page, 'Products, newest first.'),
      ),
    createProduct: async ({ caller, body, once }) =>
      unlessRefused(await createProduct(caller.companyId, body, once), (product) => created(product, 'The product was created.')),
    getProduct: async ({ caller, params }) =>
      unlessRefused(await getProduct(caller.companyId, params.id), (product) => ok(product, 'The product.')),
    updateProduct: async ({ caller, params, body }) =>
      unlessRefused(await updateProduct(caller.companyId, params.id, body), (product) => ok(product, 'The product was changed.')),
    deleteProduct: async ({ caller, params }) => unlessRefused(await deleteProduct(caller.companyId, params.id), () => gone),

    listCategories: async (request) =>
      unlessRefused(await pageOfCategories(request.caller.companyId, request.query), (page) =>
        listed(request, categoryRecords(page), 'Categories, newest first.'),
      ),
    createCategory: async ({ caller, body }) =>
      unlessRefused(await createCategory(caller.companyId, body), (category) => created(category, 'The category was created.')),
    getCategory: async ({ caller, params }) =>
      unlessRefused(await getCategory(caller.companyId, params.id), (category) => ok(category, 'The category.')),
    updateCategory: async ({ caller, params, body }) =>
      unlessRefused(await updateCategory(caller.companyId, params.id, body), (category) => ok(category, 'The category was changed.')),
    deleteCategory: async ({ caller, params }) => unlessRefused(await deleteCategory(caller.companyId, params.id), () => gone),

    listPublicCategories: async (request) =>
      unlessRefused(await listPublicCategories(request.params.company_id, request.query), (page) => ({
        ...listed(request, page, 'Categories, newest first.'),
        ...forEverybody,
      })),
    listPublicProducts: async (request) =>
      unlessRefused(await listPublicProducts(request.params.company_id, request.query), (page) => ({
        ...listed(request, page, 'Products, newest first.'),
        ...forEverybody,
      })),
    getPublicProduct: async ({ params }) =>
      unlessRefused(await getPublicProduct(params.company_id, params.id), (product) => ({
        ...ok(product, 'The product.'),
        ...forEverybody,
      })),
  },
);

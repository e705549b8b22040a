import { mapOk, ok, okPage } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { categoryRoutes } from '../contract/category.ts';
import { connectionRoutes, installRoutes } from '../contract/connection-routes.ts';
import { erpRoutes } from '../contract/erp.ts';
import { productRoutes } from '../contract/product.ts';
import { publicCache, storefrontRoutes } from '../contract/storefront.ts';
import { categoryRecords, createCategory, deleteCategory, getCategory, listCategories, updateCategory } from '../service/categories.ts';
import { createProduct, deleteProduct, getProduct, listProducts, updateProduct } from '../service/products.ts';
import { getPublicProduct, listPublicCategories, listPublicProducts } from '../service/storefront.ts';
import { connectionOperations } from './connections.ts';
import { erpOperations } from './erp.ts';
import { created, noContent } from './replies.ts';

const publiclyCached = { headers: { 'cache-control': publicCache } };

export const handler = serve(
  { ...productRoutes, ...categoryRoutes, ...storefrontRoutes, ...erpRoutes, ...installRoutes, ...connectionRoutes },
  {
    ...erpOperations,
    ...connectionOperations,
    listProducts: async (request) =>
      mapOk(await listProducts(request.caller.companyId, request.query), (page) => okPage(request, page, 'OK')),
    createProduct: async ({ caller, body, operationId, once }) =>
      mapOk(await createProduct(caller.companyId, body, { operationId, once }), (product) => created(product, 'The product was created.')),
    getProduct: async ({ caller, params }) => mapOk(await getProduct(caller.companyId, params.id), (product) => ok(product, 'OK')),
    updateProduct: async ({ caller, params, body }) =>
      mapOk(await updateProduct(caller.companyId, params.id, body), (product) => ok(product, 'The product was updated.')),
    deleteProduct: async ({ caller, params }) => mapOk(await deleteProduct(caller.companyId, params.id), () => noContent),

    listCategories: async (request) =>
      mapOk(await listCategories(request.caller.companyId, request.query), (page) => okPage(request, categoryRecords(page), 'OK')),
    createCategory: async ({ caller, body, operationId }) =>
      mapOk(await createCategory(caller.companyId, body, operationId), (category) => created(category, 'The category was created.')),
    getCategory: async ({ caller, params }) => mapOk(await getCategory(caller.companyId, params.id), (category) => ok(category, 'OK')),
    updateCategory: async ({ caller, params, body }) =>
      mapOk(await updateCategory(caller.companyId, params.id, body), (category) => ok(category, 'The category was updated.')),
    deleteCategory: async ({ caller, params }) => mapOk(await deleteCategory(caller.companyId, params.id), () => noContent),

    listPublicCategories: async (request) =>
      mapOk(await listPublicCategories(request.params.company_id, request.query), (page) => ({
        ...okPage(request, page, 'OK'),
        ...publiclyCached,
      })),
    listPublicProducts: async (request) =>
      mapOk(await listPublicProducts(request.params.company_id, request.query), (page) => ({
        ...okPage(request, page, 'OK'),
        ...publiclyCached,
      })),
    getPublicProduct: async ({ params }) =>
      mapOk(await getPublicProduct(params.company_id, params.id), (product) => ({
        ...ok(product, 'OK'),
        ...publiclyCached,
      })),
  },
);

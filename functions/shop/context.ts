import { context } from '../../shared/contract/context.ts';
import { reads, sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey, erasureKey, sealingKey } from '../../shared/contract/secret.ts';
import { categoryRoutes } from './contract/category.ts';
import { connectionsQueue, platformApp, platformSettings, platformUrls } from './contract/connection.ts';
import { connectionRoutes, installRoutes } from './contract/connection-routes.ts';
import { deliveriesQueue } from './contract/delivery.ts';
import { erpRoutes } from './contract/erp.ts';
import { followUpsQueue } from './contract/follow-up.ts';
import {
  cartAbandoned,
  orderCreated,
  orderStatusUpdated,
  orderUpdated,
  productCreated,
  productDeleted,
  productUpdated,
} from './contract/events.ts';
import { inboxRoutes } from './contract/inbox.ts';
import { orderRoutes } from './contract/order.ts';
import { productRoutes } from './contract/product.ts';
import { privacyRoutes } from './contract/privacy.ts';
import { receiverPostRoutes } from './contract/receiver-post.ts';
import { settingsRoutes } from './contract/settings-routes.ts';
import { storefrontRoutes } from './contract/storefront.ts';
import { customReceiverRoutes, receiverRoutes } from './contract/receivers.ts';
import { due } from './due.ts';
import { erasure } from './erasure.ts';
import { journal } from './journal.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';
import { recounts } from './recounts.ts';
import { restores } from './restores.ts';
import { webhookData } from './webhook-data.ts';

/**
 * Shop: a company's catalog and orders, kept in step with its ERP and its connected stores.
 *
 * Products and orders are stored in partitions of 128 ids; lists read the partitions from the newest id down, without an index. An external
 * id is reserved by a claim item before its record is written. A call that finds a claim without a record creates that record, so two
 * concurrent calls create one record. Amounts are stored as whole minor units. See docs/decisions/shop-storage-pages.md.
 */
export const shopContext = context({
  name: 'shop',
  purpose: 'Catalog, orders, ERP sync and connected stores',
  journal,
  restores,
  events: [productCreated, productUpdated, productDeleted, orderCreated, orderUpdated, orderStatusUpdated, cartAbandoned],
  reactions,
  projections,
  recounts,
  due,
  erasure,
  webhookData,
  functions: [
    {
      name: 'shop-catalog',
      trigger: 'http',
      entry: 'functions/shop/http/catalog.ts',
      routes: { ...productRoutes, ...categoryRoutes, ...storefrontRoutes, ...erpRoutes, ...installRoutes, ...connectionRoutes },
      apiPaths: ['/api/v1/shop/connections/{rest+}', '/shop/connect/storeplatform/{rest+}'],
      mints: ['shop-domain', 'shop-installation'],
      uses: [
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
        reads(cursorKey),
        reads(platformApp),
        reads(sealingKey),
        sendsTo(deliveriesQueue),
      ],
      settings: platformSettings,
      urls: platformUrls,
    },
    {
      name: 'shop-orders',
      trigger: 'http',
      entry: 'functions/shop/http/orders.ts',
      routes: { ...orderRoutes, ...settingsRoutes, ...privacyRoutes, ...inboxRoutes, ...receiverPostRoutes },
      uses: [reads(erasureKey), usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'), reads(cursorKey)],
    },
    {
      name: 'shop-webhook',
      trigger: 'http',
      entry: 'functions/shop/http/receivers.ts',
      routes: receiverRoutes,
      apiPaths: ['/shop/webhooks/{receiver}/{webhook_token}', '/api/shop/webhooks/{receiver}/{webhook_token}'],
      uses: [usesTable('GetItem', 'PutItem', 'UpdateItem'), reads(sealingKey), reads(platformApp), sendsTo(deliveriesQueue)],
    },
    {
      name: 'shop-custom',
      trigger: 'http',
      entry: 'functions/shop/http/custom-receiver.ts',
      routes: customReceiverRoutes,
      uses: [reads(erasureKey), usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'), reads(sealingKey)],
    },
    {
      name: 'shop-deliveries',
      trigger: 'queue',
      entry: 'functions/shop/worker/deliveries.ts',
      queue: deliveriesQueue,
      batchSize: 10,
      maxConcurrency: 10,
      mints: ['shop-domain'],
      uses: [reads(erasureKey), usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'), reads(sealingKey)],
    },
    {
      name: 'shop-connections',
      trigger: 'queue',
      entry: 'functions/shop/worker/connections.ts',
      queue: connectionsQueue,
      batchSize: 1,
      maxConcurrency: 5,
      mints: ['credential'],
      uses: [
        reads(erasureKey),
        usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'),
        reads(platformApp),
        reads(sealingKey),
      ],
      settings: platformSettings,
      urls: platformUrls,
    },
    {
      name: 'shop-followups',
      trigger: 'queue',
      entry: 'functions/shop/worker/followups.ts',
      queue: followUpsQueue,
      batchSize: 10,
      maxConcurrency: 5,
      uses: [usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem')],
    },
  ],
});

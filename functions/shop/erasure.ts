import { erasureStep, type ErasureStep } from '../../shared/contract/erasure.ts';
import { cartsToErase, customerActivity, ordersToErase, privacyRequestsToErase, testCallsToErase } from './service/erase-customer.ts';

export const erasure: readonly ErasureStep[] = [
  { name: 'orders', ends: ['shop-order'], find: ordersToErase },
  { name: 'carts', ends: ['shop-cart'], find: cartsToErase },
  erasureStep({ name: 'customer_activities', ends: ['shop-cart-activity'] }, customerActivity),
  erasureStep({ name: 'test_calls', ends: ['shop-test-call'] }, testCallsToErase),
  erasureStep({ name: 'privacy_requests', ends: ['shop-privacy-request'] }, privacyRequestsToErase),
];

import type { ShipmentUpdate } from '../contract/platform-event.ts';
import type { Shipment } from '../contract/stored.ts';
import type { OrderStatus } from './status.ts';

/**
 * An order's status follows from the platform's fulfilments and the order's own states. Each fulfilment is stored in its newest version.
 */
export type Shipments = Readonly<Record<string, Shipment>>;

export const withShipment = (shipments: Shipments, update: ShipmentUpdate): Shipments => {
  const current = shipments[update.id] ?? {};
  const next: Shipment = { ...current };
  const isBody = update.status !== undefined;
  if (isBody && update.at >= (current.at ?? 0)) {
    for (const field of ['number', 'url', 'courier'] as const) delete next[field];
    next.at = update.at;
    next.status = update.status;
    if (update.number !== undefined) next.number = update.number;
    if (update.url !== undefined) next.url = update.url;
    if (update.courier !== undefined) next.courier = update.courier;
  }
  if (update.shipmentStatus !== undefined && update.at >= (current.shipmentAt ?? 0)) {
    next.shipmentStatus = update.shipmentStatus;
    next.shipmentAt = update.at;
  }
  if (update.isUnsigned) next.isUnsigned = true;
  return newest({ ...shipments, [update.id]: next });
};

/** Nothing else bounds how many fulfilments are reported of one order, and how long their texts are. */
const newest = (shipments: Shipments): Shipments => {
  const entries = Object.entries(shipments);
  if (entries.length <= maxShipments) return shipments;
  const latest = ({ at = 0, shipmentAt = 0 }: Shipment): number => Math.max(at, shipmentAt);
  return Object.fromEntries(entries.toSorted(([, a], [, b]) => latest(b) - latest(a)).slice(0, maxShipments));
};

const maxShipments = 100;

/** Fulfilments that were neither cancelled nor failed. */
export const activeShipments = (shipments: Shipments): Shipment[] =>
  Object.values(shipments).filter(({ status }) => !failedStatuses.has(status ?? ''));

/** The newest fulfilment with a tracking number or URL. */
export const trackingOf = (shipments: Shipments): Shipment | undefined =>
  activeShipments(shipments)
    .filter(({ number, url }) => number !== undefined || url !== undefined)
    .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))[0];

/** The first matching rule wins; see docs/decisions/order-status.md. */
export const platformStatus = (states: Readonly<Record<string, string>>, shipments: Shipments): OrderStatus => {
  const active = activeShipments(shipments);
  const fulfilled = states['fulfillment_status'] === 'fulfilled';
  if (states['cancelled_at'] !== undefined) return 'Cancelled';
  if (states['financial_status'] === 'refunded') return 'Refunded';
  if (fulfilled && active.length > 0 && active.every(({ shipmentStatus }) => shipmentStatus === 'delivered')) return 'Delivered';
  if (fulfilled) return 'Fulfilled';
  if (states['fulfillment_status'] === 'partial' || active.some(isUnderway)) return 'Shipped';
  return paidStatuses.has(states['financial_status'] ?? '') ? 'Processing' : 'Pending';
};

const failedStatuses = new Set(['cancelled', 'failure', 'error']);
const underwayStatuses = new Set([
  'carrier_picked_up',
  'picked_up',
  'in_transit',
  'out_for_delivery',
  'attempted_delivery',
  'delayed',
  'delivered',
]);
const paidStatuses = new Set(['paid', 'partially_paid', 'authorized', 'partially_refunded']);

const isUnderway = ({ number, shipmentStatus }: Shipment): boolean => number !== undefined || underwayStatuses.has(shipmentStatus ?? '');

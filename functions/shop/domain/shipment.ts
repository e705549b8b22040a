import type { SaidShipment } from '../contract/said.ts';
import type { Shipment } from '../contract/stored.ts';
import type { OrderStatus } from './status.ts';

/** A platform's fulfilments and its order's own states together say where an order stands (S20); each part is kept as newest told. */
export type Shipments = Readonly<Record<string, Shipment>>;

export const withShipment = (shipments: Shipments, said: SaidShipment): Shipments => {
  const held = shipments[said.id] ?? {};
  const next: Shipment = { ...held };
  const isBody = said.status !== undefined;
  if (isBody && said.at >= (held.at ?? 0)) {
    for (const field of ['number', 'url', 'courier'] as const) delete next[field];
    next.at = said.at;
    next.status = said.status;
    if (said.number !== undefined) next.number = said.number;
    if (said.url !== undefined) next.url = said.url;
    if (said.courier !== undefined) next.courier = said.courier;
  }
  if (said.shipmentStatus !== undefined && said.at >= (held.shipmentAt ?? 0)) {
    next.shipmentStatus = said.shipmentStatus;
    next.shipmentAt = said.at;
  }
  return { ...shipments, [said.id]: next };
};

/** Fulfilments that count: not cancelled, not failed. */
export const liveShipments = (shipments: Shipments): Shipment[] =>
  Object.values(shipments).filter(({ status }) => !deadShipment.has(status ?? ''));

/** The tracking that a customer is shown: of the newest fulfilment that has one. */
export const trackingOf = (shipments: Shipments): Shipment | undefined =>
  liveShipments(shipments)
    .filter(({ number, url }) => number !== undefined || url !== undefined)
    .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))[0];

/** S20, first match wins. */
export const platformStatus = (states: Readonly<Record<string, string>>, shipments: Shipments): OrderStatus => {
  const live = liveShipments(shipments);
  const fulfilled = states['fulfillment_status'] === 'fulfilled';
  if (states['cancelled_at'] !== undefined) return 'Cancelled';
  if (states['financial_status'] === 'refunded') return 'Refunded';
  if (fulfilled && live.length > 0 && live.every(({ shipmentStatus }) => shipmentStatus === 'delivered')) return 'Delivered';
  if (fulfilled) return 'Fulfilled';
  if (states['fulfillment_status'] === 'partial' || live.some(isUnderway)) return 'Shipped';
  return paid.has(states['financial_status'] ?? '') ? 'Processing' : 'Pending';
};

const deadShipment = new Set(['cancelled', 'failure', 'error']);
const underway = new Set([
  'carrier_picked_up',
  'picked_up',
  'in_transit',
  'out_for_delivery',
  'attempted_delivery',
  'delayed',
  'delivered',
]);
const paid = new Set(['paid', 'partially_paid', 'authorized', 'partially_refunded']);

const isUnderway = ({ number, shipmentStatus }: Shipment): boolean => number !== undefined || underway.has(shipmentStatus ?? '');

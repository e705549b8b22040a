import type { Order, ParcelEvent } from '../contract/stored.ts';

/** What carriers report of an order's parcel. */
const maxParcelEvents = 20;

/** The reports with one more, in the order of their times; the same report twice is one. */
export const withParcelEvent = (events: readonly ParcelEvent[] = [], event: ParcelEvent): ParcelEvent[] =>
  events.some(({ label, at }) => label === event.label && at === event.at)
    ? [...events]
    : [...events, event].toSorted((a, b) => a.at - b.at).slice(-maxParcelEvents);

/** The reports of carriers, and the states that a platform gives its fulfilments, oldest first. */
export const parcelEventsOf = ({ parcelEvents = [], shipments = {} }: Pick<Order, 'parcelEvents' | 'shipments'>): ParcelEvent[] => {
  const platform = Object.values(shipments).flatMap(({ shipmentStatus, shipmentAt }) =>
    shipmentStatus === undefined || shipmentAt === undefined ? [] : [{ label: shipmentStatus, at: shipmentAt }],
  );
  return platform.reduce<ParcelEvent[]>(withParcelEvent, [...parcelEvents]);
};

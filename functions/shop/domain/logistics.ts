import * as z from 'zod';
import type { ParcelUpdate } from '../contract/platform-event.ts';
import { listOf, truncate, optionalObject, optionalText, webUrl } from './payload.ts';
import type { OrderStatus } from './status.ts';

/**
 * Normalizes the payloads of logistics providers: our own form, and those of the providers in the samples. Labels are matched as a whole,
 * because "undelivered" and "RTO delivered" are not deliveries.
 */
export const normalizeLogistics = (body: Readonly<Record<string, unknown>>): ParcelUpdate | undefined => {
  const read = shape.parse(body);
  const inner = read.msg ?? read.parcel ?? read.result;
  const latest = read.additional?.latest_status;
  const shipment = read.data?.attributes;
  const scan = read.Shipment?.Status;
  const label =
    read.current_status ??
    read.shipment_status ??
    read.tracking_status?.status ??
    read.parcel?.status?.message ??
    read.msg?.tag ??
    scan?.Status ??
    read.external_status?.name ??
    nonEmptyString(read.result?.status) ??
    latest?.status ??
    shipment?.workflow_status ??
    nonEmptyString(read.status);
  const trackingNumber =
    read.awb ??
    read.waybill ??
    read.tracking_number ??
    shipment?.tracking_number ??
    read.tracking_status?.tracking_number ??
    inner?.tracking_number ??
    read.result?.tracking_code ??
    read.tracking_code ??
    read.Shipment?.AWB;
  const orderNumbers = [
    read.order_number,
    read.channel_order_id,
    read.order_id,
    read.external_id,
    read.tracking_status?.platform_order_number,
    read.tracking_status?.company_order_number,
    read.msg?.order_number,
    read.msg?.order_id,
    read.parcel?.order_number,
    read.parcel?.external_order_id,
    read.Shipment?.ReferenceNo,
    read.additional?.order_id,
    latest?.reference_number,
  ].filter((number) => number !== undefined);
  if (label === undefined || (orderNumbers.length === 0 && trackingNumber === undefined)) return undefined;
  const isReturn = Number(read.is_return ?? 0) > 0 || read.msg?.return_to_sender === true || scan?.StatusType === 'RT';
  const detail = scan?.Instructions;
  const status = isReturn ? undefined : (parcelStatus(label) ?? (detail === undefined ? undefined : parcelStatus(detail)));
  return {
    kind: 'parcel',
    orderNumbers: [...new Set(orderNumbers)],
    trackingNumber: trackingNumber === undefined ? undefined : truncate(trackingNumber, 255),
    trackingUrl: webUrl(
      read.tracking_url ?? read.tracking_status?.tracking_page_url ?? read.msg?.courier_tracking_link ?? read.parcel?.tracking_url,
    ),
    courier: read.courier_name ?? read.msg?.slug ?? read.carrier,
    label: truncate(detail ?? label, 200),
    status,
    at: [
      read.current_timestamp,
      read.status_date,
      scan?.StatusDateTime,
      latest?.timestamp,
      read.date_time,
      shipment?.delivered_at,
      ...read.scans.map(({ date }) => date).toSorted((a = '', b = '') => (a < b ? 1 : -1)),
      read.result?.updated_at,
      read.updated_at,
    ].reduce<number | undefined>((at, time) => at ?? parcelTime(time), undefined),
  };
};

/** Maps a whole label to an order status, ignoring case and treating hyphens and underscores as spaces. */
export const parcelStatus = (label: string): OrderStatus | undefined => {
  const whole = label
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toUpperCase()
    .replace(/[-_\s]+/g, ' ')
    .trim();
  if (shipped.has(whole)) return 'Shipped';
  if (whole === 'DELIVERED') return 'Delivered';
  return cancelled.has(whole) || /^RTO( |$)/.test(whole) ? 'Cancelled' : undefined;
};

const shipped = new Set(['PICKED UP', 'SHIPPED', 'DISPATCHED', 'IN TRANSIT', 'OUT FOR DELIVERY']);
const cancelled = new Set(['CANCELLED', 'CANCELED']);

const shape = z.object({
  order_number: optionalText,
  order_id: optionalText,
  channel_order_id: optionalText,
  external_id: optionalText,
  awb: optionalText,
  waybill: optionalText,
  tracking_number: optionalText,
  tracking_code: optionalText,
  tracking_url: optionalText,
  courier_name: optionalText,
  carrier: optionalText,
  current_status: optionalText,
  shipment_status: optionalText,
  status: z.unknown().optional(),
  external_status: optionalObject({ name: optionalText }),
  is_return: optionalText,
  current_timestamp: optionalText,
  status_date: optionalText,
  date_time: optionalText,
  updated_at: optionalText,
  scans: listOf(z.object({ date: optionalText })),
  additional: optionalObject({
    order_id: optionalText,
    latest_status: optionalObject({ status: optionalText, reference_number: optionalText, timestamp: optionalText }),
  }),
  data: optionalObject({
    attributes: optionalObject({ workflow_status: optionalText, tracking_number: optionalText, delivered_at: optionalText }),
  }),
  tracking_status: optionalObject({
    status: optionalText,
    tracking_number: optionalText,
    platform_order_number: optionalText,
    company_order_number: optionalText,
    tracking_page_url: optionalText,
  }),
  parcel: optionalObject({
    tracking_number: optionalText,
    tracking_url: optionalText,
    order_number: optionalText,
    external_order_id: optionalText,
    status: optionalObject({ message: optionalText }),
  }),
  msg: optionalObject({
    tracking_number: optionalText,
    tag: optionalText,
    order_number: optionalText,
    order_id: optionalText,
    slug: optionalText,
    courier_tracking_link: optionalText,
    return_to_sender: z.boolean().optional().catch(undefined),
  }),
  result: optionalObject({
    tracking_code: optionalText,
    tracking_number: optionalText,
    status: z.unknown().optional(),
    updated_at: optionalText,
  }),
  Shipment: optionalObject({
    AWB: optionalText,
    ReferenceNo: optionalText,
    Status: optionalObject({ Status: optionalText, StatusDateTime: optionalText, StatusType: optionalText, Instructions: optionalText }),
  }),
});

const nonEmptyString = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

/** `23 05 2023 11:43:52` and `2021-07-02 16:41:59` are Indian time without a zone. An ISO 8601 time with a zone is read as written. */
export const parcelTime = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const indian = /^(\d{2}) (\d{2}) (\d{4}) (\d{2}:\d{2}:\d{2})$/.exec(text);
  const iso = indian ? `${indian[3]}-${indian[2]}-${indian[1]}T${indian[4]}` : text.replace(' ', 'T');
  const at = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(iso) ? iso : `${iso}+05:30`);
  return Number.isNaN(at) ? undefined : at;
};

import { type FieldErrors, invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { withoutAbsent } from '../../../shared/http/absent.ts';
import { fieldErrors } from '../../../shared/http/parse.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getSigningSecrets } from '../../account/service/signing-secrets.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import type { OrderUpdate } from '../contract/platform-event.ts';
import type { Order } from '../contract/stored.ts';
import { orderPlacedData, orderStatusData } from '../contract/receiver-bodies.ts';
import { parseExactJson } from '../domain/exact-json.ts';
import { fromMinor } from '../domain/money.ts';
import { truncate } from '../domain/payload.ts';
import { trackingChanges, withStatus } from '../domain/order.ts';
import { isLiveProduct } from '../domain/product.ts';
import { isSigned, signatureFromHeaders, signatureProblem } from '../domain/signature.ts';
import { getProductRow } from '../store/product.ts';
import { modifyOrder } from './orders.ts';
import { orderIdByReference, orderIdByExternalId, upsertOrder } from './upsert-order.ts';
import { recordReceiverPost, type SeenPost } from './receiver-posts.ts';
import { type ReceiverRequest, bodyTopicOf } from './receivers.ts';

/** An event without an effect. The message names the known events. */
export interface IgnoredEvent {
  ignored: true;
  message: string;
}

export interface CustomResult {
  order: Order;
  created: boolean;
  message: string;
}

type CustomRequest = Pick<ReceiverRequest, 'caller' | 'raw' | 'headers'>;
type CustomAnswer =
  | CustomResult
  | IgnoredEvent
  | Problem<'invalid_signature' | 'invalid_json' | 'validation_failed' | 'order_not_found' | 'conflict'>;

/** Applies an event of the custom receiver before responding, so that the response shows the order. */
export const receiveCustom = async (request: CustomRequest): Promise<CustomAnswer> => {
  const { answer, ...seen } = await takeCustomEvent(request);
  await recordReceiverPost(request.caller, 'custom', answer, 'order' in answer ? { ...seen, about: answer.order.number } : seen);
  return answer;
};

async function takeCustomEvent({ caller, raw, headers }: CustomRequest): Promise<SeenPost & { answer: CustomAnswer }> {
  const secrets = await getSigningSecrets(caller.companyId, 'erp_token', caller.credentialId);
  const unsigned = { isUnsigned: true as const };
  if (secrets.length > 0 && !isSigned(raw, secrets, signatureFromHeaders('custom', headers)))
    return { answer: signatureProblem('custom', headers), ...unsigned };
  const signed = secrets.length > 0 ? {} : unsigned;
  const body = parseExactJson(raw.toString('utf8'));
  if (body === undefined) return { answer: problem('invalid_json'), ...signed };
  const topic = bodyTopicOf(headers, body);
  return { answer: await applyCustomEvent(caller.companyId, topic, body['data'] ?? body), topic, ...signed };
}

function applyCustomEvent(companyId: number, event: string, data: unknown): CustomAnswer | Promise<CustomAnswer> {
  switch (event) {
    case 'order.placed':
      return placeOrder(companyId, data);
    case 'order.status_updated':
      return updateStatus(companyId, data);
    default:
      return {
        ignored: true,
        message: `${event === '' ? 'The body names no event' : `Unknown event ${truncate(event, 100)}`}; ignored. ${knownEvents}`,
      };
  }
}

async function placeOrder(companyId: number, data: unknown): Promise<CustomResult | Problem<'validation_failed'>> {
  const read = orderPlacedData.safeParse(withoutAbsent(orderPlacedData, data));
  if (!read.success) return problem('validation_failed', { errors: prefixFields(fieldErrors(read, data)) });
  const given = read.data;
  const phone = given.customer_phone ? await readCompanyPhone(companyId, given.customer_phone) : undefined;
  if (phone?.ok === false) return invalid('data.customer_phone', phone.reason);
  const unknown: FieldErrors = {};
  const items = await Promise.all(
    (given.items ?? []).map(async ({ id, product_id, external_id, sku, name, quantity, price, total, image }, index) => {
      const product = product_id == null ? undefined : await getProductRow(companyId, product_id);
      if (product_id != null && !isLiveProduct(product)) unknown[`data.items.${index}.product_id`] = [`There is no product ${product_id}.`];
      if (price === undefined && product?.isUnpriced)
        unknown[`data.items.${index}.price`] = ['The product has no price; give the price of one piece.'];
      return {
        ...(id ? { id } : {}),
        ...(product ? { productId: product.id } : {}),
        ...(external_id ? { productExternalId: external_id } : {}),
        ...(sku ? { sku } : {}),
        name: name || product?.name || '',
        quantity,
        price: price ?? (product ? fromMinor(product.price, product.currency) : '0'),
        ...(total === undefined ? {} : { total }),
        ...(image ? { image } : {}),
      };
    }),
  );
  if (Object.keys(unknown).length > 0) return problem('validation_failed', { errors: unknown });
  const update: OrderUpdate = {
    kind: 'order',
    source: 'custom',
    externalId: given.order_number,
    number: given.order_number,
    status: given.status,
    currency: given.currency ?? 'INR',
    total: given.total_amount ?? undefined,
    customerName: given.customer_name || undefined,
    customerPhone: given.customer_phone || undefined,
    customerEmail: given.customer_email || undefined,
    items: given.items === undefined ? undefined : items,
    notes: given.notes || undefined,
    tracking: { number: given.tracking_number || undefined, url: given.tracking_url || undefined },
  };
  const { order, created } = await upsertOrder(companyId, update, { key: undefined });
  return { order, created, message: created ? 'The order was placed.' : 'The order was updated.' };
}

async function updateStatus(
  companyId: number,
  data: unknown,
): Promise<CustomResult | Problem<'validation_failed' | 'order_not_found' | 'conflict'>> {
  const read = orderStatusData.safeParse(withoutAbsent(orderStatusData, data));
  if (!read.success) return problem('validation_failed', { errors: prefixFields(fieldErrors(read, data)) });
  const { order_number, status, tracking_number, tracking_url } = read.data;
  const orderId =
    (await orderIdByExternalId(companyId, 'custom', order_number)) ?? (await orderIdByReference(companyId, 'number', order_number));
  if (orderId === undefined) return problem('order_not_found');
  const tracking = trackingChanges({ number: tracking_number ?? undefined, url: tracking_url ?? undefined });
  const changed = await modifyOrder<never>(companyId, orderId, (order) =>
    withStatus({ ...order, ...tracking }, status ?? order.status, 'custom', now()),
  );
  if (isProblem(changed)) return problem(changed.problem === 'not_found' ? 'order_not_found' : 'conflict');
  return { order: changed.order, created: false, message: 'The order was updated.' };
}

const prefixFields = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([field, reasons]) => [field === 'body' ? 'data' : `data.${field}`, reasons]));

const knownEvents = 'Known events: order.placed, order.status_updated.';

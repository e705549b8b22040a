import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Order, ShopField, ShopSettings, Template, UpdateShopSettingsRequest } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { TemplatePreview } from '../../components/template-preview.tsx';
import { partsOf, placeholdersOf } from '../../components/template-parts.ts';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { queryClient, read } from '../../data/queries.ts';
import { shopText } from '../../text/shop.ts';
import { useText } from '../../text/text.ts';
import {
  cartFields,
  type Fillings,
  fillingsOf,
  isFillable,
  orderFields,
  type Sample,
  sampleOfCart,
  sampleOfOrder,
  settingOf,
  valuesFor,
} from './message-values.ts';
import { statusOf } from './order-words.ts';

/** About what a message is. */
export type MessageOf = { kind: 'order'; status: Order['status'] } | { kind: 'cart' };

interface MessageDialogProps {
  settings: ShopSettings;
  of: MessageOf;
  onClose: () => void;
}

/** Which message follows from an order's status or a cart that was left, and with what it is filled; beside it, how it arrives. */
export const MessageDialog = ({ settings, of, onClose }: MessageDialogProps): JSX.Element => {
  const text = useText(shopText);
  const stored = of.kind === 'cart' ? settings.abandoned_cart : settings.order_notifications[of.status];
  const templates = useQuery(read('listTemplates', { query: { status: 'APPROVED', limit: 100 } })).data?.data ?? [];
  const [chosen, setChosen] = useState(stored?.template_id == null ? '' : String(stored.template_id));
  const [minutes, setMinutes] = useState(String(settings.abandoned_cart.delay_minutes));
  const [edits, setEdits] = useState<Fillings>({});
  const template = templates.find(({ id }) => String(id) === chosen);
  const placeholders = template ? placeholdersOf(partsOf(template)) : [];
  const isStored = template !== undefined && template.id === stored?.template_id;
  const fillings = { ...fillingsOf(placeholders, isStored ? stored : undefined), ...edits };
  const isWhole = placeholders.every(({ id }) => fillings[id]?.field !== '' || fillings[id]?.text.trim() !== '');
  const save = useWrite(
    (body: UpdateShopSettingsRequest, call) => api.updateShopSettings({ body }, call),
    (answer) => {
      queryClient.setQueryData(read('getShopSettings').queryKey, answer);
      toast(text.saved);
      onClose();
    },
  );
  const send = (): void => {
    if (!template) return;
    const setting = { template_id: template.id, ...settingOf(placeholders, fillings) };
    const cart = { enabled: true, delay_minutes: Number(minutes), ...setting };
    save.run(of.kind === 'cart' ? { abandoned_cart: cart } : { order_notifications: { [of.status]: setting } });
  };
  const stop = (): void =>
    save.run(of.kind === 'cart' ? { abandoned_cart: { enabled: false } } : { order_notifications: { [of.status]: null } });
  const isSent = of.kind === 'cart' ? settings.abandoned_cart.enabled : stored !== undefined;
  return (
    <FormDialog
      write={save}
      wide
      title={of.kind === 'cart' ? text.cartMessage : text.orderMessage(statusOf(text, of.status).name)}
      isChanged={Object.keys(edits).length > 0 || (template !== undefined && !isStored)}
      isDisabled={!template || !isWhole}
      onSubmit={send}
      onClose={onClose}
    >
      <div className="beside-phone">
        <div className="form">
          <SelectField
            label={text.template}
            value={chosen}
            onText={(value) => {
              setChosen(value);
              setEdits({});
            }}
            choices={[
              ['', text.chooseTemplate],
              ...templates.filter(isFillable).map(({ id, name, language }) => [String(id), `${name} (${language})`] as const),
            ]}
          />
          {of.kind === 'cart' && (
            <TextField label={text.delayMinutes} type="number" min={15} max={4_320} value={minutes} onText={setMinutes} />
          )}
          {placeholders.map(({ id, name }) => (
            <Placeholder
              key={id}
              name={name}
              fields={of.kind === 'cart' ? cartFields : orderFields}
              filling={fillings[id] ?? { field: '', text: '' }}
              onChange={(filling) => setEdits((before) => ({ ...before, [id]: filling }))}
            />
          ))}
          {isSent && (
            <div>
              <Button look="quiet" icon="trash" isSoftDisabled={save.isPending} onClick={stop}>
                {text.sendNothing}
              </Button>
            </div>
          )}
        </div>
        {template && <Preview template={template} fillings={fillings} of={of} />}
      </div>
    </FormDialog>
  );
};

type Filling = Fillings[string];
interface PlaceholderProps {
  name: string;
  fields: readonly ShopField[];
  filling: Filling;
  onChange: (filling: Filling) => void;
}

const Placeholder = ({ name, fields, filling, onChange }: PlaceholderProps): JSX.Element => {
  const text = useText(shopText);
  const names = useFieldNames();
  const { field, text: words } = filling;
  return (
    <div className="pair">
      <SelectField
        label={text.placeholder(name)}
        value={field}
        onText={(value) => onChange({ field: value, text: words })}
        choices={[['', text.fixedText] as const, ...fields.map((each) => [each, names[each]] as const)]}
      />
      <TextField
        label={field === '' ? text.theText : text.whereEmpty}
        dir="auto"
        value={words}
        onText={(value) => onChange({ field, text: value })}
      />
    </div>
  );
};

const useFieldNames = (): Readonly<Record<ShopField, string>> => {
  const text = useText(shopText);
  return {
    customer_name: text.fieldName,
    customer_phone: text.phone,
    customer_email: text.email,
    order_number: text.fieldNumber,
    status: text.status,
    total_amount: text.total,
    currency: text.currency,
    tracking_number: text.parcel,
    tracking_url: text.parcelLink,
    cart_url: text.fieldCart,
    items: text.items,
  };
};

/** The message about the newest order or cart; while there is none, with the names of its fields. */
const Preview = ({ template, fillings, of }: { template: Template; fillings: Fillings; of: MessageOf }): JSX.Element => {
  const text = useText(shopText);
  const names = useFieldNames();
  const order = useQuery({ ...read('listOrders', { query: { limit: 1 } }), enabled: of.kind === 'order', staleTime: 60_000 }).data?.data[0];
  const cart = useQuery({ ...read('listCarts'), enabled: of.kind === 'cart', staleTime: 60_000 }).data?.data[0];
  const real: Sample | undefined =
    of.kind === 'cart' ? cart && sampleOfCart(cart) : order && { ...sampleOfOrder(order), status: of.status };
  return (
    <div>
      <p className="muted">
        {of.kind === 'order' && order ? text.previewOf(order.order_number) : cart ? text.previewOfCart : text.previewOfNames}
      </p>
      <TemplatePreview parts={partsOf(template)} values={valuesFor(fillings, real ?? names)} />
    </div>
  );
};

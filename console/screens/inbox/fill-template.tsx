import { type FormEvent, type JSX, useMemo, useState } from 'react';
import type { Number as CompanyNumber, Template } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { openedText } from '../../text/opened.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';
import {
  componentsOf,
  partsOf,
  type Placeholder,
  placeholdersOf,
  placeholdersOfCard,
  type Values,
} from '../../components/template-parts.ts';
import { TemplatePreview } from '../../components/template-preview.tsx';

export interface TemplatePickerProps {
  /** `phone`: empty where the provider hides it. */
  recipient: { id: number; name: string | null; phone: string };
  /** Free text is delivered to them: utility templates cost nothing meanwhile. */
  isWindowOpen?: boolean;
  /** The number to send from, and whose templates are shown; the API chooses one where none is named. */
  number?: Pick<CompanyNumber, 'id' | 'waba_id'>;
  onClose: () => void;
  onSent: () => void;
}

interface FillTemplateProps extends TemplatePickerProps {
  template: Template;
  onBack: () => void;
}

/** What a template needs to be sent, of its cards too, with a preview beside it. */
export const FillTemplate = ({ template, recipient, number, onBack, onClose, onSent }: FillTemplateProps): JSX.Element => {
  const opened = useText(openedText);
  const shell = useText(shellText);
  const parts = useMemo(() => partsOf(template), [template]);
  const wanted = useMemo(() => placeholdersOf(parts), [parts]);
  const first = (recipient.name ?? '').split(' ')[0] ?? '';
  const [values, setValues] = useState<Values>(() =>
    wanted[0] && first !== '' && /^(body:)?(1|.*name.*)$/.test(wanted[0].name) ? { [wanted[0].id]: first } : {},
  );
  const { name, language } = template;
  const to = { contact_id: recipient.id, ...(number ? { number_id: number.id } : {}) };
  const send = useWrite(
    (components: ReturnType<typeof componentsOf>, call) =>
      api.sendTemplate({ body: { ...to, template_name: name, template_language: language, components } }, call),
    () => {
      void refresh('listConversationMessages', 'getConversation', 'listConversations', 'getInboxCounts');
      onSent();
      onClose();
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.run(componentsOf(template, parts, values));
  };
  const fill = (id: string, value: string): void => setValues((before) => ({ ...before, [id]: value }));
  return (
    <Dialog
      title={name}
      onClose={onClose}
      wide
      footer={
        <>
          <Button look="quiet" icon="left" onClick={onBack}>
            {shell.back}
          </Button>
          <span className="grow" />
          <Button type="submit" form="fill-template" look="primary" icon="send" isSoftDisabled={send.isPending}>
            {opened.sendTemplate}
          </Button>
        </>
      }
    >
      <div className="fill-template">
        <form id="fill-template" className="stack" onSubmit={submit}>
          <Fields wanted={wanted} values={values} onFill={fill} hasFocus />
          {parts.cards.map((card, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- cards have no other name
            <fieldset key={place} className="card-fields">
              <legend>{opened.card(place + 1)}</legend>
              <Fields
                wanted={placeholdersOfCard(card, place)}
                values={values}
                onFill={fill}
                hasFocus={place === 0 && wanted.length === 0}
              />
            </fieldset>
          ))}
          {send.error && <ProblemCard error={send.error} />}
        </form>
        <TemplatePreview parts={parts} values={values} />
      </div>
    </Dialog>
  );
};

interface FieldsProps {
  wanted: readonly Placeholder[];
  values: Values;
  onFill: (id: string, value: string) => void;
  /** Whether the first of them has the focus when the dialog opens. */
  hasFocus: boolean;
}

const Fields = ({ wanted, values, onFill, hasFocus }: FieldsProps): JSX.Element => {
  const labelOf = useLabelOf();
  return (
    <>
      {wanted.map((placeholder, index) => (
        <TextField
          key={placeholder.id}
          label={labelOf(placeholder)}
          dir="auto"
          required
          type={typeOf(placeholder)}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the first field of the dialog
          autoFocus={hasFocus && index === 0}
          value={values[placeholder.id] ?? ''}
          onText={(value) => onFill(placeholder.id, value)}
        />
      ))}
    </>
  );
};

const typeOf = ({ part }: Placeholder): string => {
  if (part === 'media') return 'url';
  return part === 'offer' ? 'datetime-local' : 'text';
};

const useLabelOf = (): ((placeholder: Placeholder) => string) => {
  const opened = useText(openedText);
  return ({ part, name }) => {
    if (part === 'header' || part === 'body') return opened.parameter(name);
    if (part === 'link') return opened.linkEnd(name);
    if (part === 'code') return opened.couponCode;
    if (part === 'products') return opened.productIds;
    if (part === 'product') return opened.productId;
    if (part === 'catalog') return opened.catalogId;
    if (part === 'offer') return opened.offerEnds;
    return { IMAGE: opened.imageLink, VIDEO: opened.videoLink }[name] ?? opened.documentLink;
  };
};

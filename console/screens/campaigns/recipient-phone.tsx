import { type JSX, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Button } from '../../components/basics.tsx';
import type { TemplateParts } from '../../components/template-parts.ts';
import { TemplatePreview } from '../../components/template-preview.tsx';
import { formatPhone } from '../../data/phone.ts';
import { read } from '../../data/queries.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';
import { type Fillings, fieldsOf, shownValues } from './campaign-values.ts';

interface RecipientPhoneProps {
  parts: TemplateParts;
  fillings: Fillings;
  /** The address of the picture above the text, where it was chosen here. */
  picture?: string | undefined;
  /** The first of those who get it. */
  recipients: readonly { contact_id: number; name: string | null; phone: string }[];
}

/** What one recipient gets, with the values of this recipient; from one to the next. */
export const RecipientPhone = ({ parts, fillings, picture, recipients }: RecipientPhoneProps): JSX.Element => {
  const text = useText(campaignsText);
  const [place, setPlace] = useState(0);
  const nth = Math.min(place, Math.max(0, recipients.length - 1));
  const shown = recipients[nth];
  const { data } = useQuery({
    ...read('getContact', { params: { id: shown?.contact_id ?? 0 } }),
    enabled: shown !== undefined,
    placeholderData: keepPreviousData,
  });
  const fields = data && data.data.id === shown?.contact_id ? fieldsOf(data.data) : {};
  const step = (by: number): void => setPlace((nth + by + recipients.length) % recipients.length);
  return (
    <div className="recipient-phone">
      {shown && (
        <div className="row" role="group" aria-label={text.shownFor}>
          <Button small look="quiet" icon="left" label={text.previousRecipient} onClick={() => step(-1)} />
          <span className="grow cut" dir="auto" aria-live="polite">
            {shown.name ?? formatPhone(shown.phone)}
          </span>
          <Button small look="quiet" icon="right" label={text.nextRecipient} onClick={() => step(1)} />
        </div>
      )}
      <TemplatePreview parts={parts} values={shownValues(fillings, fields)} picture={picture} />
    </div>
  );
};

import { type JSX, useState } from 'react';
import type { Contact } from '../../../client/client.ts';
import { ContactPicker } from '../../components/contact-picker.tsx';
import { LongTextField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { api } from '../../data/client.ts';
import { refresh } from '../../data/queries.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';

interface NewLeadProps {
  pipelineId: number;
  onClose: () => void;
  onDone: (lead: { id: number }) => void;
}

/** A lead of a contact, in the first stage of a pipeline. */
export const NewLead = ({ pipelineId, onClose, onDone }: NewLeadProps): JSX.Element => {
  const text = useText(salesText);
  const [contact, setContact] = useState<Contact>();
  // the same lead however often it is sent
  const [creationKey] = useState(() => crypto.randomUUID());
  const { values, field, submitting } = useForm(
    { title: '', requirement: '', value: '', currency: 'EUR' },
    async ({ title, requirement, value, currency }, call) => {
      const body = {
        contact_id: contact?.id ?? 0,
        pipeline_id: pipelineId,
        creation_key: creationKey,
        title: title.trim(),
        source: 'manual' as const,
        ...(requirement.trim() === '' ? {} : { requirement: requirement.trim() }),
        ...(value === '' ? {} : { value: Number(value), currency: currency.trim().toUpperCase() }),
      };
      return (await api.createLead({ body }, call)).data;
    },
    (made) => {
      void refresh('getBoard', 'listLeads');
      onDone(made);
    },
  );
  return (
    <FormDialog
      {...submitting}
      title={text.newLead}
      action={text.create}
      isDisabled={!contact || values.title.trim() === ''}
      onClose={onClose}
    >
      <ContactPicker label={text.contact} changeLabel={text.change} chosen={contact} onChoose={setContact} />
      <TextField label={text.title} dir="auto" {...field('title')} />
      <LongTextField label={text.requirement} dir="auto" rows={2} {...field('requirement')} />
      <div className="row">
        <TextField label={text.value} type="number" min={0} step="0.01" {...field('value')} />
        <TextField label={text.currency} maxLength={3} {...field('currency')} />
      </div>
    </FormDialog>
  );
};

import type { JSX } from 'react';
import { SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { api } from '../../data/client.ts';
import { refresh } from '../../data/queries.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';

interface NewPipelineProps {
  onClose: () => void;
  onDone: (pipeline: { id: number }) => void;
}

/** One more pipeline, with a name and the stages of a starter, which are edited afterwards. */
export const NewPipeline = ({ onClose, onDone }: NewPipelineProps): JSX.Element => {
  const text = useText(salesText);
  const { values, field, submitting } = useForm(
    { name: '', template: 'simple' as 'simple' | 'sales' | 'appointments' },
    async ({ name, template }, call) => (await api.createPipeline({ body: { name: name.trim(), template } }, call)).data,
    async (made) => {
      await refresh('listPipelines');
      onDone(made);
    },
  );
  return (
    <FormDialog {...submitting} title={text.newPipeline} isDisabled={values.name.trim() === ''} onClose={onClose}>
      <TextField label={text.pipelineName} dir="auto" {...field('name')} />
      <SelectField
        label={text.stages}
        choices={[
          ['simple', text.starterSimple],
          ['sales', text.starterSales],
          ['appointments', text.starterAppointments],
        ]}
        {...field('template')}
      />
    </FormDialog>
  );
};

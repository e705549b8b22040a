import type { JSX } from 'react';
import { LongTextField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { partsOf, placeholdersOf } from '../../components/template-parts.ts';
import { TemplatePreview } from '../../components/template-preview.tsx';
import { api } from '../../data/client.ts';
import { linesOf } from '../../data/lines.ts';
import { templatesText } from '../../text/templates.ts';
import { useText } from '../../text/text.ts';
import { componentsFor, type TemplateDraft } from './template-draft.ts';

const languages = ['en', 'en_US', 'en_GB', 'de', 'es', 'fr', 'it', 'nl', 'pt_BR', 'pt_PT', 'pl', 'tr', 'ar', 'hi', 'id'] as const;

/** A template of texts and quick replies, as a customer will see it, with an example for each value: WhatsApp's reviewers read those. */
export const TemplateForm = ({ onClose, onDone }: { onClose: () => void; onDone: () => void }): JSX.Element => {
  const text = useText(templatesText);
  const initial: TemplateDraft = {
    name: '',
    language: 'en',
    category: 'UTILITY',
    header: '',
    body: '',
    footer: '',
    replies: '',
    examples: {},
  };
  const { values, field, set, submitting } = useForm(
    initial,
    (draft, call) => {
      const { name, language, category } = draft;
      return api.createTemplate({ body: { name: name.trim(), language, category, components: componentsFor(draft) } }, call);
    },
    onDone,
  );
  const parts = partsOf({ components: componentsFor(values) });
  const wanted = placeholdersOf(parts);
  const isReady =
    values.name.trim() !== '' && values.body.trim() !== '' && wanted.every(({ id }) => (values.examples[id] ?? '').trim() !== '');
  return (
    <FormDialog {...submitting} title={text.newTemplate} action={text.submit} isDisabled={!isReady} onClose={onClose} wide>
      <div className="beside-preview">
        <div className="stack">
          <TextField
            label={text.name}
            hint={text.nameHint}
            spellCheck={false}
            {...field('name')}
            onText={(value) => set('name')(asName(value))}
          />
          <SelectField label={text.language} choices={languages.map((each) => [each, each] as const)} {...field('language')} />
          <SelectField
            label={text.category}
            hint={text.categoryHint}
            choices={[
              ['UTILITY', text.utility],
              ['MARKETING', text.marketing],
            ]}
            {...field('category')}
          />
          <TextField label={text.header} dir="auto" maxLength={60} {...field('header')} />
          <LongTextField label={text.body} hint={text.bodyHint} dir="auto" maxLength={1_024} {...field('body')} />
          <TextField label={text.footer} dir="auto" maxLength={60} {...field('footer')} />
          <LongTextField label={text.replies} hint={text.repliesHint} dir="auto" rows={2} {...field('replies')} />
          {wanted.map(({ id, name }) => (
            <TextField
              key={id}
              label={text.exampleOf(name)}
              dir="auto"
              value={values.examples[id] ?? ''}
              onText={(value) => set('examples')({ ...values.examples, [id]: value })}
            />
          ))}
        </div>
        <div>
          <TemplatePreview parts={parts} values={values.examples} />
          {linesOf(values.replies).length > 10 && <p className="muted">{text.tooManyReplies}</p>}
        </div>
      </div>
    </FormDialog>
  );
};

/** Names have small letters, digits and underscores alone. */
const asName = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/[^a-z0-9_]/g, '');

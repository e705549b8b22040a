import type { JSX } from 'react';
import type { LibraryTemplate } from '../../../client/client.ts';
import { TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { api, type Input, SwitchboardProblem } from '../../data/client.ts';
import { templatesText } from '../../text/templates.ts';
import { useText } from '../../text/text.ts';
import { PartProblem } from './builder-parts.tsx';
import { asName, hasVariable } from './template-draft.ts';

interface TakeDialogProps {
  template: LibraryTemplate;
  onClose: () => void;
  onDone: () => unknown;
}

type Inputs = NonNullable<Input<'createTemplate'>['body']['library_template_button_inputs']>;

/** What the company fills a template of the library with: its own name for it, its links, its numbers. */
export const TakeDialog = ({ template, onClose, onDone }: TakeDialogProps): JSX.Element => {
  const text = useText(templatesText);
  const wanted = template.buttons.filter(({ type }) => type === 'URL' || type === 'PHONE_NUMBER');
  const none: readonly string[] = wanted.map(() => '');
  const { values, field, set, problem, submitting } = useForm(
    { name: template.name, addresses: none, examples: none },
    ({ name, addresses, examples }, call) => {
      const inputs: Inputs = wanted.map(({ type }, index) => {
        const address = (addresses[index] ?? '').trim();
        if (type === 'PHONE_NUMBER') return { type, phone_number: address };
        const example = (examples[index] ?? '').trim();
        return { type, url: { base_url: address, ...(hasVariable(address) && example !== '' ? { url_suffix_example: example } : {}) } };
      });
      return api.createTemplate(
        {
          body: {
            name,
            language: template.language,
            category: template.category === 'MARKETING' ? 'MARKETING' : 'UTILITY',
            library_template_name: template.name,
            ...(inputs.length === 0 ? {} : { library_template_button_inputs: inputs }),
          },
        },
        call,
      );
    },
    onDone,
  );
  const isTaken = submitting.write.error instanceof SwitchboardProblem && submitting.write.error.code === 'template_exists';
  const put = (of: 'addresses' | 'examples', index: number, value: string): void =>
    set(of)(values[of].map((each, nth) => (nth === index ? value : each)));
  const isWhole = values.name !== '' && wanted.every((_, index) => (values.addresses[index] ?? '').trim() !== '');
  return (
    <FormDialog {...submitting} title={text.takeNamed(template.name)} action={text.take} isDisabled={!isWhole} onClose={onClose}>
      <TextField
        label={text.name}
        hint={text.nameHint}
        spellCheck={false}
        dir="ltr"
        {...field('name')}
        {...(isTaken ? { problem: text.exists } : {})}
        onText={(name) => set('name')(asName(name))}
      />
      {wanted.map(({ type, text: label }, index) => {
        const isLink = type === 'URL';
        const name = label ?? '';
        return (
          // oxlint-disable-next-line react/no-array-index-key -- the buttons of the template stay as they are
          <div key={index} className="form">
            <TextField
              label={isLink ? text.addressOf(name) : text.phoneOf(name)}
              hint={isLink ? text.addressHint : undefined}
              type={isLink ? 'url' : 'tel'}
              dir="ltr"
              value={values.addresses[index] ?? ''}
              onText={(value) => put('addresses', index, value)}
            />
            {isLink && hasVariable(values.addresses[index] ?? '') && (
              <TextField
                label={text.addressExample}
                type="url"
                dir="ltr"
                value={values.examples[index] ?? ''}
                onText={(value) => put('examples', index, value)}
              />
            )}
          </div>
        );
      })}
      <PartProblem problem={problem('library_template_button_inputs')} />
    </FormDialog>
  );
};
